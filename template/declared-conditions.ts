import type { JsonObject } from '../policy/members';
import { decideCondition, type Verdict } from './conditions';
import { evaluate } from './evaluate';
import type { Problem, Scope } from './intrinsics';
import type { NoteProblem } from './problems';
import { PENDING } from './values';

/** The conditions a template declares, each decided when somebody asks, and once. */
export class DeclaredConditions {
  private readonly decided = new Map<string, Verdict>();
  private readonly deciding: string[] = [];

  /** @param operands what the operands of `Fn::Equals` may look up */
  constructor(
    private readonly declared: JsonObject,
    private readonly operands: Scope,
    private readonly note: NoteProblem,
  ) {}

  /** Decides a condition by its name. */
  verdict(name: string, problem: Problem): Verdict {
    const known = this.decided.get(name);
    if (known !== undefined) return known;
    if (!Object.hasOwn(this.declared, name)) {
      problem(`names the condition ${name}, which the template lacks`);
      return false;
    }
    if (this.deciding.includes(name)) {
      this.note(`Conditions.${name} depends on itself: ${[...this.deciding, name].join(' -> ')}`);
      return false;
    }
    this.deciding.push(name);
    const outcome = this.decide(this.declared[name], `Conditions.${name}`);
    this.deciding.pop();
    this.decided.set(name, outcome);
    return outcome;
  }

  private decide(value: unknown, at: string): Verdict {
    return decideCondition(value, name => {
      const problem: Problem = rule => {
        this.note(`${at}: ${name} ${rule}`);
        return PENDING;
      };
      return {
        problem,
        operand: operand => evaluate(operand, at, this.operands, this.note),
        decide: nested => this.decide(nested, at),
        named: condition => this.verdict(condition, problem),
      };
    });
  }
}
