import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../../policy/aws-limits';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import type { Scheduled, Scheduler, Task } from '../../kernel/timeline';

/** How an interruption ends an invocation and its execution environment. */
const INTERRUPTION_KINDS = ['exit', 'out-of-memory', 'timeout'] as const;

/** Ends an invocation early. Scenarios use it to test crashes and timeouts. */
export interface Interruption {
  /** The function's name or ARN. Applies to all its versions and aliases. */
  readonly functionName: string;
  /**
   * `exit`: the process exits with status 1. `out-of-memory`: the process is killed. `timeout`: the code stops
   * responding and times out when its timeout is over.
   */
  readonly how: (typeof INTERRUPTION_KINDS)[number];
  /** The invocation to interrupt, counted from now: 1 is the next. @default 1 */
  readonly invocation?: number;
  /** The number of consecutive invocations to interrupt. @default 1 */
  readonly count?: number;
  /**
   * The delay after the start of the handler, in milliseconds. Everything that the handler does without waiting happens
   * before. An invocation that has ended by then is not interrupted.
   *
   * @default 0, if `afterRequests` is not given
   */
  readonly afterMs?: number;
  /**
   * Interrupts after this many requests to AWS or any other host, instead of after a delay. The last request is
   * delivered, but its response is not.
   */
  readonly afterRequests?: number;
}

/** How and when a running invocation is interrupted. */
export type InterruptedRun = Pick<Interruption, 'how' | 'afterMs' | 'afterRequests'>;

/** A registered interruption and its remaining invocations. */
interface PlannedInterruption {
  readonly functionArn: string;
  readonly run: InterruptedRun;
  /** How many more invocations run undisturbed before it applies. */
  spared: number;
  left: number;
}

const LONGEST_TIMEOUT_MS = MAX_FUNCTION_TIMEOUT_SECONDS * 1_000;
const KIND_RULE = `must be one of ${INTERRUPTION_KINDS.join(', ')}`;

const isInterruptionKind = (value: unknown): value is Interruption['how'] =>
  INTERRUPTION_KINDS.some(way => way === value);

export class Interruptions {
  private planned: readonly PlannedInterruption[] = [];

  /** @param arnOf returns the ARN of the function with this name, if it exists */
  constructor(private readonly arnOf: (nameOrArn: string) => string | undefined) {}

  /**
   * Registers an interruption. If several apply to the same invocation, the first one registered interrupts it, and all
   * of them count it.
   */
  set(interruption: Interruption): void {
    const reader = new MemberReader(interruption, 'an interruption');
    const name = reader.text('functionName') ?? '';
    const functionArn = this.arnOf(name);
    if (functionArn === undefined) reader.refuse('functionName', 'must be an existing function', name);
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

  /** Removes all interruptions, also those of running invocations that have not been interrupted yet. */
  clear(): void {
    this.planned = [];
  }

  /**
   * Returns the interruption of the invocation that starts now, if any.
   *
   * @internal called by Lambda
   */
  next(functionArn: string): InterruptedRun | undefined {
    if (this.planned.length === 0) return undefined;
    const met = this.planned.filter(it => it.functionArn === functionArn).filter(count);
    this.planned = this.planned.filter(({ left }) => left > 0);
    return met[0]?.run;
  }
}

/** Counts an invocation. @returns whether the interruption applies to it */
function count(planned: PlannedInterruption): boolean {
  if (planned.spared > 0) {
    planned.spared -= 1;
    return false;
  }
  planned.left -= 1;
  return true;
}

/** Decides when to interrupt one invocation. Starts with the handler. */
export class Interrupter {
  private readonly waiting: Scheduled | undefined;
  private requests = 0;

  /** @param interrupt called by due work when the time has come */
  constructor(
    private readonly interrupted: InterruptedRun,
    timeline: Pick<Scheduler, 'after'>,
    interrupt: Task,
  ) {
    const { afterMs = 0, afterRequests } = interrupted;
    this.waiting = afterRequests === undefined ? timeline.after(afterMs, interrupt) : undefined;
  }

  /** Counts a request that was sent. @returns whether it was the last before the interruption */
  sent(): boolean {
    this.requests += 1;
    return this.requests === this.interrupted.afterRequests;
  }

  /** Called when the invocation has ended. */
  cancel(): void {
    this.waiting?.cancel();
  }
}
