/** What one validation may cost: schemas applied, patterns searched, items compared. In units of some 20 ns. */
import { limits } from '../limits.ts';

export class ValidationSpent extends Error {
  override readonly name = 'ValidationSpent';
}

export class Spend {
  left = 0;
  readonly spent = new ValidationSpent('the value is too large, or the schema too involved');

  begin(): void {
    this.left = limits.schema.cost;
  }

  charge(units: number): void {
    this.left -= units;
    if (this.left < 0) throw this.spent;
  }
}
