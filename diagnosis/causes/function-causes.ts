import { displayNameOf } from '../../policy/arn';
import type { DecodedKind } from '../../policy/messages/decode-message';
import { knownValue } from '../../template/maybe-known';
import { type FedBy, giveTime } from '../fixes/change-settings';
import type { Fix } from '../fixes/fix';
import { allowRole, letRun } from '../fixes/grant-access';
import type { FunctionFacts, Inventory } from '../inventory/inventory';
import { functionOf, unqualified } from '../inventory/look-ups';
import { commonText, type Diagnosis, deathOfMessage, type FailureRecord } from './cause';
import type { Evidence, FunctionEvidence, SeenMessage } from './evidence';

type Said<Kind extends DecodedKind['kind']> = Extract<DecodedKind, { readonly kind: Kind }>;

/** A function's failure, as one letter tells it. */
interface ReportedFailure extends FunctionFailure {
  /** @default - more than one may have sent it */
  readonly functionArn?: string;
  readonly requestId?: string;
  readonly attempts?: number;
}

/** How many lines of a request are shown. */
const MOST_LINES = 3;

function facts(functionArn: string | undefined, inventory: Inventory) {
  const found = functionOf(functionArn, inventory);
  return found && { facts: found };
}

/** Lambda's dead letters do not say whose they are: where one function alone sends them here, they are its. */
function onlySender({ queueArn, inventory }: Evidence): string | undefined {
  const senders = inventory.functions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
  return senders.length === 1 ? senders[0]?.arn : undefined;
}

function linesOf(requestId: string | undefined, evidence: readonly FunctionEvidence[]) {
  if (requestId === undefined) return undefined;
  const found = evidence.find(({ lines }) => lines.some(({ message }) => message.includes(requestId)));
  if (!found) return undefined;
  const lines = found.lines.filter(({ message }) => message.includes(requestId)).slice(0, MOST_LINES);
  return { log: { group: found.logGroupName, lines: lines.map(({ message }) => message.trim()) } };
}

/** Whose log has the request, where the letter itself does not tell. */
function sender(requestId: string, evidence: Evidence): string | undefined {
  const logged = evidence.functions.find(({ lines }) => lines.some(({ message }) => message.includes(requestId)));
  return logged?.functionArn ?? onlySender(evidence);
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq */
function ofEvent(who: Said<'function-event'>, evidence: Evidence): ReportedFailure {
  const { errorCode, errorMessage, requestId } = who;
  const functionArn = sender(requestId, evidence);
  return {
    name: functionArn === undefined ? 'that sent it' : displayNameOf(functionArn),
    ...(functionArn !== undefined && { functionArn }),
    ...facts(functionArn, evidence.inventory),
    statusCode: Number(errorCode),
    error: errorMessage,
    requestId,
  };
}

/** What Lambda writes where a function was never run: the answer has nothing to show. */
const NEVER_RAN = 429;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations */
function ofRecord(who: Said<'invocation-record'>, evidence: Evidence): ReportedFailure {
  const { functionArn, condition, error, requestId, statusCode, invokeCount } = who;
  const ran = error === undefined ? NEVER_RAN : 200;
  return {
    name: displayNameOf(unqualified(functionArn)),
    functionArn: unqualified(functionArn),
    ...facts(functionArn, evidence.inventory),
    statusCode: statusCode ?? ran,
    error: error ?? condition,
    ...(requestId !== undefined && { requestId }),
    ...(invokeCount !== undefined && { attempts: invokeCount }),
  };
}

/** Why Lambda gave up, where that is not that it tried as often as it may. */
const CONDITIONS: Readonly<Record<string, string>> = {
  EventAgeExceeded:
    'Lambda gave up before its retries were used up: the event was, or would have been, older than MaximumEventAgeInSeconds.',
};

function diagnosis(failure: ReportedFailure, condition: string | undefined): Diagnosis {
  const detail = condition === undefined ? undefined : CONDITIONS[condition];
  return { ...diagnoseFunction(failure), ...(detail !== undefined && { details: [detail] }) };
}

/** What a letter says that Lambda sent: an event a function failed on, or the record of that. */
export function functionFailure(seen: SeenMessage, evidence: Evidence): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'function-event' && who.kind !== 'invocation-record') return undefined;
  const failure = who.kind === 'function-event' ? ofEvent(who, evidence) : ofRecord(who, evidence);
  const { functionArn = 'a function', requestId, attempts, error } = failure;
  const condition = who.kind === 'invocation-record' ? who.condition : undefined;
  const isPlainEnd = condition === undefined || condition === 'RetriesExhausted';
  const code = isPlainEnd ? functionCode(failure) : `${condition}: ${commonText(error)}`;
  return deathOfMessage(seen, {
    key: { failed: 'function', by: functionArn, code, destination: functionArn },
    diagnose: () => diagnosis(failure, condition),
    example: {
      ...(requestId !== undefined && { messageId: requestId }),
      answer: error,
      ...(attempts !== undefined && { attempts }),
      ...linesOf(requestId, evidence.functions),
    },
  });
}

/** How a function failed, as Lambda tells it. */
export interface FunctionFailure {
  readonly name: string;
  /** @default - it is not in the inventory */
  readonly facts?: FunctionFacts;
  /** As of HTTP: 200 where the function ran. */
  readonly statusCode: number;
  /** What it threw, or what Lambda says in its place. */
  readonly error: string;
  /** @default - its events do not come from a queue */
  readonly fedBy?: FedBy;
}

interface FailureRule {
  /** @default - any */
  readonly statusCode?: number;
  /** @default - anything */
  readonly saying?: RegExp;
  says(failure: FunctionFailure): string;
  fix(failure: FunctionFailure): Fix;
}

const DENIED = /not authorized to perform: ([\w-]+:\w+)(?: on resource: (?:"|')?(arn:[^\s"',]+))?/;

/** What the function's role lacks, where the error names it and the function's role is known. */
function letItsRole({ facts, error }: FunctionFailure): Fix {
  const [, action, resource] = DENIED.exec(error) ?? [];
  const roleArn = facts && knownValue(facts.roleArn);
  // A policy elsewhere that denies it by name cannot be mended here.
  const isPlain = !/explicit deny/.test(error);
  if (isPlain && roleArn !== undefined && action !== undefined && resource !== undefined) {
    return allowRole(roleArn, [action], resource);
  }
  return { says: 'Let its role do what the error names, on what it names.' };
}

const timedOut = /Task timed out after ([\d.]+) seconds/;

/** The first that applies says it. */
const RULES: readonly FailureRule[] = [
  {
    saying: timedOut,
    says: ({ name, error }) => `The function ${name} timed out after ${Number(timedOut.exec(error)?.[1])} seconds.`,
    fix: ({ facts, fedBy }) =>
      facts ? giveTime(facts, fedBy) : { says: 'See in its log what it waits for, or raise its timeout.' },
  },
  {
    saying: /OutOfMemory|signal: killed/,
    says: ({ name }) => `The function ${name} ran out of memory, and was killed.`,
    fix: () => ({ says: 'Raise its memory size; REPORT lines of its log say how much it used.' }),
  },
  {
    saying: /ImportModuleError|HandlerNotFound|Cannot find (module|package)|UserCodeSyntaxError|InvalidEntrypoint/,
    says: ({ name }) => `The function ${name} does not start: its code cannot be loaded.`,
    fix: () => ({ says: 'Deploy it again with all that it needs, or go back to the version before.' }),
  },
  {
    saying: DENIED,
    says: ({ name, error }) => `The role of the function ${name} may not do ${DENIED.exec(error)?.[1]}.`,
    fix: letItsRole,
  },
  {
    statusCode: 429,
    says: ({ name }) => `The function ${name} was throttled until its events were too old, or is switched off.`,
    fix: ({ facts }) => (facts ? letRun(facts) : { says: 'Raise its concurrency.' }),
  },
  {
    statusCode: 404,
    says: ({ name }) => `The function ${name}, or the version or alias that was invoked, does not exist any more.`,
    fix: () => ({ says: 'Deploy it anew under the same name.' }),
  },
  {
    statusCode: 403,
    says: ({ name }) => `Lambda could not run the function ${name}: access was denied, to its key or to its code.`,
    fix: () => ({ says: 'Let its role use the key its environment variables are encrypted with.' }),
  },
  {
    statusCode: 400,
    says: ({ name }) =>
      `Lambda did not run the function ${name}: it refused the invocation, such as one of an endless loop.`,
    fix: () => ({ says: 'Break the loop: have the function not write to what invokes it.' }),
  },
  {
    statusCode: 200,
    says: ({ name, error }) => `The function ${name} failed: ${commonText(error)}`,
    fix: ({ name }) => ({
      says: `Mend the code of ${name}, or what it depends on; its log tells more of each request.`,
    }),
  },
  {
    says: ({ name, statusCode }) =>
      `Lambda could not run the function ${name} (${statusCode}) until its events were too old.`,
    fix: () => ({ says: 'Nothing is left to mend once it is over: send the letters home.' }),
  },
];

/** What a function's failure means, and what to do about it. */
export function diagnoseFunction(failure: FunctionFailure): Diagnosis {
  const rule = RULES.find(
    ({ statusCode = failure.statusCode, saying }) =>
      statusCode === failure.statusCode && (saying?.test(failure.error) ?? true),
  );
  return rule ? { says: rule.says(failure), fix: rule.fix(failure) } : { says: `The function ${failure.name} failed.` };
}

/** What tells a failure from others of the function. */
export function functionCode({ statusCode, error }: FunctionFailure): string {
  const [text] = timedOut.exec(error) ?? [];
  if (text !== undefined) return text;
  return statusCode === 200 ? commonText(error) : `${statusCode} ${commonText(error)}`.trim();
}
