// Starts `ptxgen lsp` and `ptxgen dap` and connects the editor with them. Everything else is the servers'.

"use strict";

const { DebugAdapterExecutable, debug, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const PTX = ["ptx", "ptx-jinja"];
const EMBEDDED = ["python", "cuda-cpp", "cpp", "c"];

let client;

function settings() {
  const given = workspace.getConfiguration("ptxgen");
  return Object.fromEntries(["style", "hints", "docs", "parameters"].map((name) => [name, given.get(name)]));
}

async function activate(context) {
  const given = workspace.getConfiguration("ptxgen");
  const [command, ...args] = given.get("command");
  const languages = given.get("embedded") ? [...PTX, ...EMBEDDED] : PTX;
  client = new LanguageClient(
    "ptxgen",
    "PTX",
    { command, args },
    {
      documentSelector: languages.flatMap((language) => [
        { scheme: "file", language },
        { scheme: "untitled", language },
      ]),
      initializationOptions: settings(),
    },
  );
  context.subscriptions.push(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ptxgen")) {
        client.sendNotification("workspace/didChangeConfiguration", { settings: { ptxgen: settings() } });
      }
    }),
  );
  context.subscriptions.push(
    debug.registerDebugAdapterDescriptorFactory("ptxgen", {
      createDebugAdapterDescriptor() {
        const [program, ...rest] = workspace.getConfiguration("ptxgen").get("debugger");
        return new DebugAdapterExecutable(program, rest);
      },
    }),
  );
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
