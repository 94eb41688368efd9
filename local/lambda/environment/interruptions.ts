import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import type { Scheduled, Scheduler, Task } from '../../kernel/timeline';

/** Ways in which an invocation ends before it is done, and with it its execution environment. */
const INTERRUPTION_KINDS = ['exit', 'out-of-memory', 'timeout'] as const;

/** An invocation that a scenario wants to end before it is done. */
export interface Interruption {
  /** The function's name, or its ARN; whatever version or alias of it runs. */
  readonly functionName: string;
  /**
   * `exit`: the process ends with status 1, `out-of-memory`: it is killed, both at once. `timeout`: it does nothing more,
   * and times out when its time is up.
   */
  readonly how: (typeof INTERRUPTION_KINDS)[number];
  /** Which one, counted from now on: 1 is the next that runs. @default 1 */
  readonly invocation?: number;
  /** How many one after the other. @default 1 */
  readonly count?: number;
  /**
   * So long after its handler was called, in milliseconds, and after everything it does without waiting. One that is over
   * by then is left alone.
   *
   * @default 0, where no `afterRequests` is given
   */
  readonly afterMs?: number;
  /**
   * In place of `afterMs`: once it has sent so many requests, to AWS or anybody else. The last of them arrives, its answer
   * does not.
   */
  readonly afterRequests?: number;
}

/** When and how an invocation ends that is on its way. */
export type InterruptedRun = Pick<Interruption, 'how' | 'afterMs' | 'afterRequests'>;

/** An interruption that was set, and what is left of it. */
interface PlannedInterruption {
  readonly functionArn: string;
  readonly run: InterruptedRun;
  /** Invocations that go well before. */
  spared: number;
  left: number;
}

const LONGEST_TIMEOUT_MS = 900_000;
const KIND_RULE = `must be one of ${INTERRUPTION_KINDS.join(', ')}`;

const isInterruptionKind = (value: unknown): value is Interruption['how'] =>
  INTERRUPTION_KINDS.some(way => way === value);

/** The invocations that a scenario wants to end before they are done. */
export class Interruptions {
  private planned: readonly PlannedInterruption[] = [];

  /** @param arnOf the ARN of the function with this name, if there is one */
  constructor(private readonly arnOf: (nameOrArn: string) => string | undefined) {}

  /**
   * From now on counts the function's invocations, and ends those that are meant. Where several interruptions mean one
   * invocation, the one set first ends it; the others count it too.
   *
   * @throws RangeError naming every member that makes no sense, a function that is not there among them
   */
  set(interruption: Interruption): void {
    const reader = new MemberReader(interruption, 'an interruption');
    const name = reader.text('functionName') ?? '';
    const functionArn = this.arnOf(name);
    if (functionArn === undefined) reader.refuse('functionName', 'must be a function that is there', name);
    const how = reader.optional('how', KIND_RULE, isInterruptionKind);
    if (!reader.has('how')) reader.refuse('how', KIND_RULE, undefined);
    const invocation = reader.wholeNumber('invocation', 1) ?? 1;
    const left = reader.wholeNumber('count', 1) ?? 1;
    const afterMs = reader.number('afterMs', 0, LONGEST_TIMEOUT_MS);
    const afterRequests = reader.wholeNumber('afterRequests', 1);
    if (afterMs !== undefined && afterRequests !== undefined) {
      reader.refuse('afterMs', 'must not be given with afterRequests', afterMs);
    }
    const problems = reader.allProblems();
    if (problems.length > 0 || functionArn === undefined || how === undefined) throw new InvalidInput(problems);
    const run = {
      how,
      ...(afterMs !== undefined && { afterMs }),
      ...(afterRequests !== undefined && { afterRequests }),
    };
    this.planned = [...this.planned, { functionArn, run, spared: invocation - 1, left }];
  }

  /** Everything runs to its end from now on, what runs already too unless its time has come. */
  clear(): void {
    this.planned = [];
  }

  /**
   * What is in store for the invocation that begins now.
   *
   * @internal Lambda asks
   */
  next(functionArn: string): InterruptedRun | undefined {
    if (this.planned.length === 0) return undefined;
    const met = this.planned.filter(it => it.functionArn === functionArn).filter(count);
    this.planned = this.planned.filter(({ left }) => left > 0);
    return met[0]?.run;
  }
}

/** Counts an invocation, and says whether it is meant. */
function count(planned: PlannedInterruption): boolean {
  if (planned.spared > 0) {
    planned.spared -= 1;
    return false;
  }
  planned.left -= 1;
  return true;
}

/** Tells when an invocation is to end before it is done, from when its handler is called. */
export class Interrupter {
  private readonly waiting: Scheduled | undefined;
  private requests = 0;

  /** @param interrupt called by due work, once the time has come */
  constructor(
    private readonly interrupted: InterruptedRun,
    timeline: Pick<Scheduler, 'after'>,
    interrupt: Task,
  ) {
    const { afterMs = 0, afterRequests } = interrupted;
    this.waiting = afterRequests === undefined ? timeline.after(afterMs, interrupt) : undefined;
  }

  /** Notes a request that was sent. Answers whether it was the last. */
  sent(): boolean {
    this.requests += 1;
    return this.requests === this.interrupted.afterRequests;
  }

  /** The invocation is over. */
  cancel(): void {
    this.waiting?.cancel();
  }
}
