import type { Courier } from '../../../lambda/redrive/stint/courier';
import type { DeadLetter } from '../../../lambda/redrive/stint/dead-letter';
import { inForm } from '../../../lib/policy/redrive-by-hand/letter-form';
import type { Form } from '../../../lib/policy/redrive-by-hand/route';
import type { Match } from './filter';

/** Which letters a courier takes, and in what form. */
export interface Choice {
  readonly form: Form;
  /** @default - all */
  readonly matches?: (letter: DeadLetter) => Match;
}

/** Takes only letters that match, and sends each on in the form it should have. */
export function handCourier(courier: Courier, { form, matches }: Choice): Courier {
  return {
    screen: letter => {
      const match = matches?.(letter);
      if (match?.kind === 'differs') return { kind: 'left', reason: match.reason };
      return courier.screen(inForm(letter, form));
    },
    lanes: letters => courier.lanes(letters),
    carry: lot => courier.carry(lot.map(letter => inForm(letter, form))),
  };
}
