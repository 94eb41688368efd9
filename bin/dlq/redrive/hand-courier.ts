import { inForm } from '../../../diagnosis/manual-redrive/letter-form';
import type { Form } from '../../../diagnosis/manual-redrive/route';
import type { MessageMover, MoveResult } from '../../../mover/courier';
import type { DeadLetter } from '../../../mover/dead-letter';
import type { Match } from './filter';

/** Which letters a courier takes, and in what form. */
export interface Choice {
  readonly form: Form;
  /** @default - all */
  readonly matches?: (message: DeadLetter) => Match;
}

/** Takes only letters that match, and sends each on in the form it should have. */
export class ManualMover implements MessageMover {
  /** Why letters stay that a filter leaves. */
  readonly differences = new Set<string>();
  private refused: readonly string[] = [];
  private mostRefused = Number.POSITIVE_INFINITY;

  constructor(
    private readonly messageMover: MessageMover,
    private readonly choice: Choice,
  ) {}

  /** From now on, where the destination refuses so many letters, it is tried with no others. */
  begin(mostRefused = Number.POSITIVE_INFINITY): void {
    this.refused = [];
    this.mostRefused = mostRefused;
  }

  readonly inspect: MessageMover['inspect'] = message => {
    const { form, matches } = this.choice;
    const match = matches?.(message);
    if (match?.kind === 'differs') {
      this.differences.add(match.reason);
      return { kind: 'left', reason: match.reason };
    }
    return this.messageMover.inspect(inForm(message, form));
  };

  readonly batchesInOrder: MessageMover['batchesInOrder'] = messages => this.messageMover.batchesInOrder(messages);

  readonly move: MessageMover['move'] = async lot => {
    if (this.refused.length >= this.mostRefused) {
      return { kind: 'closed', reason: `the destination has refused ${this.refused.length}: ${this.refused.at(-1)}` };
    }
    const carried = await this.messageMover.move(lot.map(message => inForm(message, this.choice.form)));
    if (!('kind' in carried)) this.refused = [...this.refused, ...carried.flatMap(refusalIn)];
    return carried;
  };
}

function refusalIn(fate: MoveResult): readonly string[] {
  return fate.kind === 'left' || fate.kind === 'unfit' ? [fate.reason] : [];
}
