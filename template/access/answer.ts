/** What is known of whether something holds. */
export type Answer = 'yes' | 'no' | 'unknown';

/** @param holds undefined where that is not known */
export function answer(holds: boolean | undefined): Answer {
  if (holds === undefined) return 'unknown';
  return holds ? 'yes' : 'no';
}

/** Whether all hold: one that does not decides, whatever is not known of the others. */
export function allOf(answers: readonly Answer[]): Answer {
  if (answers.includes('no')) return 'no';
  return answers.includes('unknown') ? 'unknown' : 'yes';
}

/** Whether any holds: one that does decides, whatever is not known of the others. */
export function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

const OPPOSITES: Readonly<Record<Answer, Answer>> = { yes: 'no', no: 'yes', unknown: 'unknown' };

export function opposite(it: Answer): Answer {
  return OPPOSITES[it];
}
