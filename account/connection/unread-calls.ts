import { isThrottlingError } from '@smithy/core/retry';
import type { SdkError } from '@smithy/types';
import { awsFailureOf, isNotFound } from '../../mover/aws/aws-calls';
import { andMore, counted } from '../../policy/format-text';
import type { MaybeKnown, Unknown } from '../../template/maybe-known';
import { messageOf } from '../errors';
import { areCredentialsRefused, failedActionOf, grantOf, isDenied, isUnreachable } from './calls';

/** Why a call told nothing. */
type UnreadReason =
  /** A permission is missing. */
  | 'denied'
  /** The endpoint does not offer the operation: a Region without the service, or another implementation of AWS. */
  | 'missing'
  /** AWS throttled it for as long as the command repeats a call. */
  | 'throttled'
  /** It failed for another reason, for as long as the command repeats a call. */
  | 'failed';

/** A call that a command can do without. */
export interface Question {
  /** The IAM action: `sns:GetTopicAttributes`. */
  readonly action: string;
  /** What the call reads, as messages name it: `the attributes`, `the alarms`. */
  readonly tells: string;
  /** The kind of resource, singular and plural: `topic`, `topics`. @default - it reads a list */
  readonly of?: readonly [one: string, many: string];
}

export interface UnreadCall {
  readonly question: Question;
  readonly reason: UnreadReason;
  /** The resources of which it is unknown. Empty for a list. */
  readonly names: ReadonlySet<string>;
  /** The first error. */
  readonly error: unknown;
}

/** IAM's error name differs from those of other services. */
const NO_SUCH_ENTITY = 'NoSuchEntity';

/** Whether AWS says that a resource does not exist. */
export function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof Error && error.name.startsWith(NO_SUCH_ENTITY));
}

const MISSING_OPERATION =
  /UnknownOperation|InvalidAction|NotImplemented|UnknownAction|OptInRequired|SubscriptionRequired|OperationNotSupported/;

/** A host name without an address: the service has no endpoint in this Region. */
const NO_HOST = 'ENOTFOUND';

/** Whether the endpoint does not offer the operation of a call that failed. */
export function isMissing(error: Error): boolean {
  const { $metadata } = error as Partial<SdkError>;
  const status = $metadata?.httpStatusCode;
  if (status === 501 || MISSING_OPERATION.test(error.name)) return true;
  if ('code' in error && error.code === NO_HOST) return true;
  // A server that lacks the service answers with a page of its own.
  return status === 404 && !isNotFound(error);
}

/**
 * Why a call told nothing.
 * @returns undefined for an error that would end every call, such as expired credentials, and for an error of our own
 */
function reasonOf(error: unknown): UnreadReason | undefined {
  if (!(error instanceof Error) || areCredentialsRefused(error)) return undefined;
  if (isDenied(error)) return 'denied';
  if (isMissing(error)) return 'missing';
  if (awsFailureOf(error, '') === undefined && !isUnreachable(error)) return undefined;
  return isThrottlingError(error as SdkError) ? 'throttled' : 'failed';
}

/** The error of AWS. A client may have wrapped it (`isFinal`). */
function answerOf(thrown: unknown): unknown {
  return thrown instanceof Error && failedActionOf(thrown) === undefined && failedActionOf(thrown.cause) !== undefined
    ? thrown.cause
    : thrown;
}

/** After so many failures in a row, each repeated for its whole time, the call is not made again. */
const ENOUGH_FAILURES = 8;

interface Answers {
  readonly question: Question;
  readonly names: Set<string>;
  /** @default - the call never failed */
  failure?: { readonly reason: UnreadReason; readonly error: unknown };
  failuresInARow: number;
}

function isHopeless({ failure, failuresInARow }: Answers): boolean {
  if (failure === undefined || failuresInARow === 0) return false;
  // A denial can concern one resource and not the next.
  return failure.reason === 'missing' || (failure.reason !== 'denied' && failuresInARow >= ENOUGH_FAILURES);
}

const WHY: Readonly<Record<UnreadReason, (action: string) => string>> = {
  denied: action => `cannot be read without the permission ${action}`,
  missing: action => `cannot be read: the endpoint does not offer ${action}`,
  throttled: action => `cannot be read: AWS throttles ${action}`,
  failed: action => `cannot be read: ${action} fails`,
};

/** How many names fit on a line. */
const MAX_NAMES = 5;

/** What is unknown, and why: `the attributes of 1 queue cannot be read without the permission sqs:GetQueueAttributes: work`. */
function unreadText({ question: { of, tells, action }, reason, names, error }: UnreadCall): string {
  const what = of ? `${tells} of ${counted(names.size, ...of)}` : tells;
  const which = names.size === 0 ? '' : `: ${andMore([...names], MAX_NAMES)}`;
  const why = reason === 'failed' ? ` (${messageOf(error).split('\n')[0]})` : '';
  return `${what} ${WHY[reason](failedActionOf(error) ?? action)}${which}${why}`;
}

/** The actions to grant, as the denials name them. Empty when none is missing, or a policy denies them explicitly. */
export function missingPermissions(calls: readonly UnreadCall[]): readonly string[] {
  const denied = calls.filter(({ reason }) => reason === 'denied');
  return [
    ...new Set(denied.flatMap(({ error, question }) => grantOf(error, failedActionOf(error) ?? question.action))),
  ].sort();
}

/**
 * The only place that turns a failed call into an unknown value. It collects what is unknown, so that a command can report all of it
 * at its end.
 */
export class UnreadCalls {
  private readonly answers = new Map<string, Answers>();
  private readonly notes = new Set<string>();

  /** What could not be read, by call. */
  get all(): readonly UnreadCall[] {
    return [...this.answers.values()].flatMap(({ question, names, failure }) =>
      failure ? [{ question, names, ...failure }] : [],
    );
  }

  /** What could not be read, in sentences. */
  get texts(): readonly string[] {
    return [...this.notes, ...this.all.map(unreadText)];
  }

  /** Adds a sentence about what was not read for another reason than a failed call. */
  note(text: string): void {
    this.notes.add(text);
  }

  /**
   * Makes a call that the command can do without.
   *
   * @param name of the resource. @default - the call reads a list
   */
  async read<T>(question: Question, name: string | undefined, call: () => Promise<T>): Promise<MaybeKnown<T>> {
    const answers = this.answersOf(question);
    if (isHopeless(answers)) return unknownOf(answers, name);
    try {
      const answer = await call();
      answers.failuresInARow = 0;
      return answer;
    } catch (thrown) {
      const error = answerOf(thrown);
      // That one resource does not exist is an answer. That there is no such list is none.
      if (name !== undefined && isGone(error)) throw error;
      const reason = reasonOf(error) ?? (isNotFound(error) ? 'missing' : undefined);
      if (reason === undefined) throw thrown;
      answers.failure ??= { reason, error };
      answers.failuresInARow += 1;
      return unknownOf(answers, name);
    }
  }

  /** Reads a list page by page. If a page cannot be read, it returns the pages before. */
  async list<T>(question: Question, pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
    const found: T[] = [];
    await this.read(question, undefined, async () => {
      for await (const page of pages) found.push(...page);
    });
    return found;
  }

  /** Whether a call has failed, at least for one resource. */
  hasFailed({ action }: Question): boolean {
    return [...this.answers.values()].some(it => it.question.action === action && it.failure !== undefined);
  }

  private answersOf(question: Question): Answers {
    const key = `${question.action} ${question.tells}`;
    const known = this.answers.get(key);
    if (known) return known;
    const answers: Answers = { question, names: new Set(), failuresInARow: 0 };
    this.answers.set(key, answers);
    return answers;
  }
}

function unknownOf({ question, names, failure }: Answers, name: string | undefined): Unknown {
  if (name !== undefined) names.add(name);
  const action = failedActionOf(failure?.error) ?? question.action;
  return { unknownBecause: WHY[failure?.reason ?? 'failed'](action) };
}
