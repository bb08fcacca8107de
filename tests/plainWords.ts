/** Words that hide who acts. Comments and pages name the worker, the caller, the operator, the process. */
export const unclearWords =
  /\b(?:whoever|whomever|somebody|nobody|befalls?|whatever|(?:is|are) told|as it stands|has gone)\b/i;
