import { displayNameOf } from '../../policy/arn';
import type { DecodedKind } from '../../policy/messages/decoded-letter';
import { knownValue } from '../../template/told';
import type { Inventory } from '../inventory/inventory';
import { functionOf, unqualified } from '../inventory/look-ups';
import { commonText, type Diagnosis, deathOfMessage, type FailureRecord } from './death';
import type { Evidence, FunctionEvidence, SeenMessage } from './evidence';
import { diagnoseFunction, type FunctionFailure, functionCode } from './function-failure';

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
