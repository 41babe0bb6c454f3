-- Neovim 0.11 and newer: put this into your init.lua, or into a file that it requires.
-- Templates are recognised by their whole extension; "ptx" alone has no file type in Neovim.

vim.filetype.add({
  extension = { ptx = "ptx" },
  pattern = { [".*%.ptx%.j2"] = "ptx-jinja", [".*%.ptx%.jinja"] = "ptx-jinja" },
})

vim.lsp.config("ptxgen", {
  cmd = { "ptxgen", "lsp" },
  filetypes = { "ptx", "ptx-jinja", "python", "cuda", "cpp", "c" },
  root_markers = { ".git" },
  init_options = { hints = true, style = false },
})
vim.lsp.enable("ptxgen")

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "ptx", "ptx-jinja" },
  callback = function()
    vim.bo.commentstring = "// %s"
    vim.opt_local.iskeyword:append({ "%", "$" })
    vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
  end,
})
