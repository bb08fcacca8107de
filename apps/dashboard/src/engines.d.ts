/** What Chromium's engine has and others do without; `libs/language` sets it where it is there. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
