;;; ptx-mode.el --- NVIDIA PTX, with the server of ptxgen -*- lexical-binding: t -*-

;; Emacs 29 and newer. Put this file into your `load-path' and (require 'ptx-mode) into your init file;
;; M-x eglot in a .ptx file starts the server.

;;; Code:

(require 'eglot)

(defvar ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?% "_" table)
    (modify-syntax-entry ?$ "_" table)
    (modify-syntax-entry ?_ "_" table)
    table))

(defvar ptx-mode-font-lock
  '(("^[ \t]*\\([A-Za-z_$%][A-Za-z0-9_$]*\\)[ \t]*:" 1 font-lock-constant-face)
    ("%[A-Za-z0-9_$]+" . font-lock-variable-name-face)
    ("^[ \t]*\\(?:@!?[%$A-Za-z0-9_]+[ \t]+\\)?\\([a-z][a-z0-9_]*\\)\\(\\(?:\\.[A-Za-z0-9_:]+\\)*\\)"
     (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("\\.[A-Za-z_][A-Za-z0-9_:]*" . font-lock-type-face)))

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "Major mode for NVIDIA PTX."
  (setq-local comment-start "// ")
  (setq-local indent-tabs-mode t)
  (setq-local font-lock-defaults '(ptx-mode-font-lock)))

;;;###autoload
(define-derived-mode ptx-jinja-mode ptx-mode "PTX template"
  "Major mode for Jinja templates of NVIDIA PTX.")

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptx\\.\\(?:j2\\|jinja\\)\\'" . ptx-jinja-mode))

(add-to-list 'eglot-server-programs
             '((ptx-mode (ptx-jinja-mode :language-id "ptx-jinja"))
               . ("ptxgen" "lsp" :initializationOptions (:hints t :style :json-false))))

(provide 'ptx-mode)
;;; ptx-mode.el ends here
