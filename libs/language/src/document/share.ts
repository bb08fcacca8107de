/** A share of a budget: `80%`. */
import * as z from 'zod';

const form = /^(?:100|[1-9]\d?)%$/;

/** Also the message of the issue about another kind of value, so that `explain` knows it. */
export const shareWords = 'a share from 1% to 100%, as in 80%';

export const Share = z
  .string({ error: shareWords })
  .min(1)
  .check((ctx) => {
    if (form.test(ctx.value)) return;
    ctx.issues.push({ code: 'custom', input: ctx.value, params: { expected: shareWords } });
  })
  .meta({ description: '`1%` to `100%`.', examples: ['80%'], pattern: form.source });
