import { displayNameOf } from '../../policy/arn';
import { andMore, capitalized } from '../../policy/format-text';
import { ownMember } from '../../policy/json-members';
import type { DecodedKind } from '../../policy/messages/decode-message';
import { knownValue } from '../../template/maybe-known';
import { type QueueSource, raiseTimeout } from '../fixes/change-settings';
import type { Fix } from '../fixes/fix';
import { giveConcurrency } from '../fixes/grant-access';
import { denialsOf } from '../fixes/let-in';
import { type FunctionFacts, type Inventory, mayLack } from '../inventory/inventory';
import { functionOf, unqualified } from '../inventory/look-ups';
import { fixAccess } from './answer-rule';
import { commonText, type Diagnosis, type FailureRecord, failureOfMessage } from './cause';
import type { Evidence, FunctionEvidence, SampledMessage } from './evidence';
import { roleAccess } from './role-access';

type Said<Kind extends DecodedKind['kind']> = Extract<DecodedKind, { readonly kind: Kind }>;

interface ReportedFailure extends FunctionFailure {
  /** @default - several functions may have sent it */
  readonly functionArn?: string;
  readonly requestId?: string;
  readonly attempts?: number;
}

/** How many log lines of a request are shown. */
const MOST_LINES = 3;

function facts(functionArn: string | undefined, inventory: Inventory) {
  const found = functionOf(functionArn, inventory);
  return found && { facts: found };
}

/** The functions that send their dead letters to this queue. */
function sendersOf({ queueArn, inventory }: Evidence): readonly FunctionFacts[] {
  return inventory.functions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
}

/**
 * Lambda's dead letters do not name their function. If only one function sends them to this queue, they belong to it.
 */
function onlySender(evidence: Evidence): string | undefined {
  if (mayLack(evidence.inventory, 'functions')) return undefined;
  const senders = sendersOf(evidence);
  return senders.length === 1 ? senders[0]?.arn : undefined;
}

/** How many names fit in a line. */
const MOST_NAMES = 5;

/** Says which functions an unknown one can be. */
function candidates(evidence: Evidence): string {
  const names = sendersOf(evidence).map(({ name }) => name);
  const which =
    names.length === 0
      ? 'no function that could be read sends dead letters to this queue'
      : `these functions send dead letters to this queue: ${andMore(names, MOST_NAMES)}`;
  return `The messages do not name the function; ${which}.`;
}

function linesOf(requestId: string | undefined, evidence: readonly FunctionEvidence[]) {
  if (requestId === undefined) return undefined;
  const found = evidence.find(({ lines }) => lines.some(({ message }) => message.includes(requestId)));
  if (!found) return undefined;
  const lines = found.lines.filter(({ message }) => message.includes(requestId)).slice(0, MOST_LINES);
  return { log: { group: found.logGroupName, lines: lines.map(({ message }) => message.trim()) } };
}

/** The function whose log contains the request, if the message itself does not name one. */
function sender(requestId: string, evidence: Evidence): string | undefined {
  const logged = evidence.functions.find(({ lines }) => lines.some(({ message }) => message.includes(requestId)));
  return logged?.functionArn ?? onlySender(evidence);
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq */
function ofEvent(who: Said<'function-event'>, evidence: Evidence): ReportedFailure {
  const { errorCode, errorMessage, requestId } = who;
  const functionArn = sender(requestId, evidence);
  return {
    ...(functionArn !== undefined && { functionArn, name: displayNameOf(functionArn) }),
    ...facts(functionArn, evidence.inventory),
    inventory: evidence.inventory,
    statusCode: Number(errorCode),
    error: errorMessage,
    requestId,
  };
}

/** Lambda's code for a function that was never run, so that there is no answer to show. */
const NEVER_RAN = 429;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-async-destinations */
function ofRecord(who: Said<'invocation-record'>, evidence: Evidence): ReportedFailure {
  const { functionArn, condition, error, requestId, statusCode, invokeCount } = who;
  const ran = error === undefined ? NEVER_RAN : 200;
  return {
    name: displayNameOf(unqualified(functionArn)),
    functionArn: unqualified(functionArn),
    ...facts(functionArn, evidence.inventory),
    inventory: evidence.inventory,
    statusCode: statusCode ?? ran,
    error: error ?? condition,
    ...(requestId !== undefined && { requestId }),
    ...(invokeCount !== undefined && { attempts: invokeCount }),
  };
}

/** Why Lambda gave up, if not because the retries were used up. */
const CONDITIONS: Readonly<Record<string, string>> = {
  EventAgeExceeded:
    'Lambda gave up before its retries were used up: the event was, or would have been, older than MaximumEventAgeInSeconds.',
};

function diagnosis(failure: ReportedFailure, condition: string | undefined, evidence: Evidence): Diagnosis {
  const detail = condition === undefined ? undefined : ownMember(CONDITIONS, condition);
  const details = [
    ...(failure.functionArn === undefined ? [candidates(evidence)] : []),
    ...(detail === undefined ? [] : [detail]),
  ];
  return { ...diagnoseFunction(failure), ...(details.length > 0 && { details }) };
}

/** The failure of a message that Lambda sent: an event on which a function failed, or the record of one. */
export function functionFailure(seen: SampledMessage, evidence: Evidence): FailureRecord | undefined {
  const { who } = seen.decoded;
  if (who.kind !== 'function-event' && who.kind !== 'invocation-record') return undefined;
  const failure = who.kind === 'function-event' ? ofEvent(who, evidence) : ofRecord(who, evidence);
  const { functionArn = 'a function', requestId, attempts, error } = failure;
  const condition = who.kind === 'invocation-record' ? who.condition : undefined;
  const isPlainEnd = condition === undefined || condition === 'RetriesExhausted';
  const code = isPlainEnd ? functionCode(failure) : `${condition}: ${commonText(error)}`;
  return failureOfMessage(seen, {
    key: { failed: 'function', by: functionArn, code, destination: functionArn },
    diagnose: () => diagnosis(failure, condition, evidence),
    example: {
      ...(requestId !== undefined && { messageId: requestId }),
      answer: error,
      ...(attempts !== undefined && { attempts }),
      ...linesOf(requestId, evidence.functions),
    },
  });
}

interface FunctionFailure {
  /** @default - unknown: the message does not name it */
  readonly name?: string;
  /** @default - the function is not in the inventory */
  readonly facts?: FunctionFacts;
  /** Like an HTTP status: 200 if the function ran. */
  readonly statusCode: number;
  /** The error it threw, or Lambda's message instead. */
  readonly error: string;
  readonly inventory: Inventory;
  /** @default - its events do not come from a queue */
  readonly fedBy?: QueueSource;
}

interface FailureRule {
  /** @default - its fix never has calls */
  readonly id?: string;
  /** @default - any */
  readonly statusCode?: number;
  /** @default - anything */
  readonly saying?: RegExp;
  says(failure: FunctionFailure): string;
  fix(failure: FunctionFailure): Fix;
}

/** The function, in the middle of a sentence. */
export function functionCalled(name: string | undefined): string {
  return name === undefined ? 'an unknown function' : `the function ${name}`;
}

const DENIED = /not authorized to perform: ([\w-]+:\w+)(?: on resource: (?:"|')?(arn:[^\s"',]+))?/;

/** Lambda's functions fail with the texts of IAM, which name the kind of policy that denies explicitly. */
const DENIED_BY = /explicit deny(?: in an? ([\w -]+))?/;
/** What must allow a request in addition to the role's own policies. */
const LIMITED_BY = /no (permissions boundary|(?:service|resource) control policy|session policy) allows/;

/** Allows the function's role what the error names, if the role is known. */
function allowItsRole({ facts, error, inventory }: FunctionFailure): Fix {
  const [, action, resource] = DENIED.exec(error) ?? [];
  const [denied, policy = 'policy'] = DENIED_BY.exec(error) ?? [];
  const [, limit] = LIMITED_BY.exec(error) ?? [];
  if (limit !== undefined) {
    return {
      says: `The ${limit} does not allow it, and no other policy makes up for that: allow it there, or ask its owner to.`,
    };
  }
  const roleArn = facts && knownValue(facts.roleArn);
  const access =
    roleArn !== undefined && action !== undefined && resource !== undefined
      ? roleAccess(roleArn, action, resource, inventory)
      : undefined;
  if (denied !== undefined && (!access || denialsOf(access).length === 0)) {
    return {
      says: `A statement of a ${policy} denies it explicitly, and no Allow overrides that: change that statement, or ask the owner of the policy to.`,
    };
  }
  return access
    ? fixAccess(access)
    : { says: 'Allow its role the action that the error names, on the resource that it names.' };
}

const timedOut = /Task timed out after ([\d.]+) seconds/;

/** The first rule that applies counts. */
export const FUNCTION_RULES: readonly FailureRule[] = [
  {
    id: 'function-timed-out',
    saying: timedOut,
    says: ({ name, error }) => `${functionCalled(name)} timed out after ${Number(timedOut.exec(error)?.[1])} seconds.`,
    fix: ({ facts, fedBy }) =>
      facts ? raiseTimeout(facts, fedBy) : { says: 'See in its log what it waits for, or raise its timeout.' },
  },
  {
    saying: /OutOfMemory|signal: killed/,
    says: ({ name }) => `${functionCalled(name)} ran out of memory and was stopped.`,
    fix: () => ({ says: 'Raise its memory size; REPORT lines of its log say how much it used.' }),
  },
  {
    saying: /ImportModuleError|HandlerNotFound|Cannot find (module|package)|UserCodeSyntaxError|InvalidEntrypoint/,
    says: ({ name }) => `${functionCalled(name)} does not start: its code cannot be loaded.`,
    fix: () => ({ says: 'Deploy it again with all its dependencies, or go back to the previous version.' }),
  },
  {
    id: 'role-denied',
    saying: DENIED,
    says: ({ name, error }) => `The role of ${functionCalled(name)} has no permission for ${DENIED.exec(error)?.[1]}.`,
    fix: allowItsRole,
  },
  {
    id: 'function-throttled',
    statusCode: 429,
    says: ({ name }) => `${functionCalled(name)} was throttled until its events were too old, or is switched off.`,
    fix: ({ facts }) => (facts ? giveConcurrency(facts) : { says: 'Raise its concurrency.' }),
  },
  {
    statusCode: 404,
    says: ({ name }) => `${functionCalled(name)}, or the version or alias that was invoked, no longer exists.`,
    fix: () => ({ says: 'Deploy it again under the same name.' }),
  },
  {
    statusCode: 403,
    says: ({ name }) => `Lambda could not run ${functionCalled(name)}: access to its key or its code was denied.`,
    fix: () => ({ says: 'Allow its role to use the key that encrypts its environment variables.' }),
  },
  {
    statusCode: 400,
    says: ({ name }) =>
      `Lambda did not run ${functionCalled(name)}: it refused the invocation, for example because of an endless loop.`,
    fix: () => ({ says: 'Break the loop: the function must not write to what invokes it.' }),
  },
  {
    statusCode: 200,
    says: ({ name, error }) => `${functionCalled(name)} failed: ${commonText(error)}`,
    fix: ({ name = 'the function' }) => ({
      says: `Fix the code of ${name}, or what it depends on; its log shows more about each request.`,
    }),
  },
  {
    says: ({ name, statusCode }) =>
      `Lambda could not run ${functionCalled(name)} (${statusCode}) until its events were too old.`,
    fix: () => ({ says: 'No fix is needed once this is over: redrive the messages.' }),
  },
];

export function diagnoseFunction(failure: FunctionFailure): Diagnosis {
  const rule = FUNCTION_RULES.find(
    ({ statusCode = failure.statusCode, saying }) =>
      statusCode === failure.statusCode && (saying?.test(failure.error) ?? true),
  );
  if (!rule) return { says: `${capitalized(functionCalled(failure.name))} failed.` };
  const { id } = rule;
  return { ...(id !== undefined && { rule: id }), says: capitalized(rule.says(failure)), fix: rule.fix(failure) };
}

/** The text by which failures of a function are grouped. */
function functionCode({ statusCode, error }: FunctionFailure): string {
  const [text] = timedOut.exec(error) ?? [];
  if (text !== undefined) return text;
  return statusCode === 200 ? commonText(error) : `${statusCode} ${commonText(error)}`.trim();
}
