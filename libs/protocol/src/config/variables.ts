/**
 * Environment variables that a server's configuration may not set: each makes a loader or an interpreter run code that
 * neither `command` nor `args` names. Search paths (PATH, PYTHONPATH, NODE_PATH) are allowed: many configurations set
 * them, and a file that sets them names the command too.
 */
const denied = [
  /^LD_/,
  /^DYLD_/,
  /^(NODE_OPTIONS|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|IFS|PROMPT_COMMAND)$/,
  /^(PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|PYTHONBREAKPOINT|PYTHONWARNINGS)$/,
  /^(PERL5OPT|PERL5DB|RUBYOPT|LUA_INIT\w*|PHPRC|PHP_INI_SCAN_DIR)$/,
  /^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CORECLR_PROFILER\w*|DOTNET_STARTUP_HOOKS)$/,
  /^GIT_(SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|EXTERNAL_DIFF|PROXY_COMMAND|EDITOR|SEQUENCE_EDITOR|PAGER|CONFIG\w*)$/,
  /^BATON_/,
] as const;

/** The variable by which a server that outlived its worker is found. */
export const markVariable = 'BATON_MARK';

export const isDeniedVariable = (name: string): boolean => denied.some((pattern) => pattern.test(name.toUpperCase()));
