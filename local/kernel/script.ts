import type { Clock } from './clock';

/** For how long something behaves as a scenario says. */
export interface Spell {
  /** First instant, in milliseconds since the Unix epoch, at which it no longer does so. @default for ever */
  readonly untilMs?: number;
  /** How many times it does so. @default every time */
  readonly count?: number;
}

/** How somebody outside behaves, one behaviour after the other, each for its spell. */
export class Script<Behaviour extends Spell> {
  private rest: { readonly behaviour: Behaviour; used: number }[];

  constructor(
    private readonly clock: Clock,
    behaviours: readonly Behaviour[] = [],
  ) {
    this.rest = behaviours.map(behaviour => ({ behaviour, used: 0 }));
  }

  /** The behaviour towards whoever comes now; undefined once they are all over. */
  next(): Behaviour | undefined {
    this.rest = this.rest.filter(({ behaviour, used }) => !this.isOver(behaviour, used));
    const [current] = this.rest;
    if (current) current.used += 1;
    return current?.behaviour;
  }

  private isOver({ untilMs, count }: Behaviour, used: number): boolean {
    return (untilMs !== undefined && this.clock.nowMs >= untilMs) || (count !== undefined && used >= count);
  }
}
