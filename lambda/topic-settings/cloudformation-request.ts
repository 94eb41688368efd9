import type { Wait } from '../../mover/aws/clock';
import { isObject, type JsonObject } from '../../policy/json-members';
import { messageOf } from '../shared/connections';
import type { Send } from '../shared/http-send';

/** A request of CloudFormation with everything an answer needs. `propertiesOf` checks its properties. */
export interface Request {
  /** `Create`, `Update` or `Delete`, unless CloudFormation adds another. */
  readonly requestType: string;
  /** `Custom::` and a name. */
  readonly resourceType: string;
  /** A presigned URL. It is never logged, because everyone who knows it can answer. */
  readonly responseUrl: URL;
  readonly stackId: string;
  readonly requestId: string;
  readonly logicalId: string;
  /** The id from an earlier answer; undefined before the first. */
  readonly physicalId: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The properties before an `Update`; empty for other requests. */
  readonly oldProperties: Readonly<Record<string, unknown>>;
}

/** The event cannot be answered, because it lacks what an answer needs. */
class NotARequestError extends Error {
  override readonly name = 'NotARequestError';
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function text(members: JsonObject, name: string): string {
  const value = members[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new NotARequestError(`not a CloudFormation request: ${name} must be a text that is not empty`);
}

/**
 * Reads CloudFormation's request.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html
 */
export function readRequest(event: unknown): Request {
  const members = membersOf(event);
  const url = text(members, 'ResponseURL');
  const responseUrl = URL.canParse(url) ? new URL(url) : undefined;
  if (responseUrl?.protocol !== 'https:') {
    throw new NotARequestError('not a CloudFormation request: ResponseURL must be an https URL');
  }
  const physicalId = members['PhysicalResourceId'];
  return {
    requestType: text(members, 'RequestType'),
    resourceType: text(members, 'ResourceType'),
    responseUrl,
    stackId: text(members, 'StackId'),
    requestId: text(members, 'RequestId'),
    logicalId: text(members, 'LogicalResourceId'),
    physicalId: typeof physicalId === 'string' && physicalId !== '' ? physicalId : undefined,
    properties: membersOf(members['ResourceProperties']),
    oldProperties: membersOf(members['OldResourceProperties']),
  };
}

/** A rule for each property: its words, and the pattern that its text must match. */
type Rules = Readonly<Record<string, { readonly rule: string; readonly pattern: RegExp }>>;

export type Properties<R extends Rules> = { readonly [Name in keyof R]: string };

export function propertiesOf<R extends Rules>(properties: JsonObject, rules: R): Properties<R> | string {
  const problems = Object.entries(rules).flatMap(([name, { rule, pattern }]) => {
    const value = properties[name];
    return typeof value === 'string' && pattern.test(value) ? [] : [`${name} ${rule}, got ${JSON.stringify(value)}`];
  });
  if (problems.length > 0) return problems.join('; ');
  return Object.fromEntries(Object.keys(rules).map(name => [name, properties[name]])) as Properties<R>;
}

export interface CloudFormationAnswer {
  readonly status: 'SUCCESS' | 'FAILED';
  readonly physicalId: string;
  /** The values of `Fn::GetAtt`. @default - none */
  readonly data?: Readonly<Record<string, string>>;
  /** Why it failed. CloudFormation shows it in the stack's events. */
  readonly reason?: string;
}

/** Answers a request. Rejects if the answer could not be sent. */
export type Respond = (request: Request, answer: CloudFormationAnswer) => Promise<void>;

/** CloudFormation's limit for an answer is 4,096 bytes, and a character takes up to six in JSON. */
const MAX_REASON_CHARACTERS = 500;

/** Waits before further tries to send an answer. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000];

/** The answer could not be sent. Lambda then retries the whole request. */
class AnswerNotSentError extends Error {
  override readonly name = 'AnswerNotSentError';
}

function bodyOf(request: Request, { status, physicalId, data, reason }: CloudFormationAnswer): string {
  return JSON.stringify({
    Status: status,
    PhysicalResourceId: physicalId,
    StackId: request.stackId,
    RequestId: request.requestId,
    LogicalResourceId: request.logicalId,
    ...(data && { Data: data }),
    ...(reason !== undefined && { Reason: reason.slice(0, MAX_REASON_CHARACTERS) }),
  });
}

/** Whether a retry may help. A URL that S3 rejects stays rejected. */
function isTransient(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 429;
}

/**
 * Returns a function that puts answers to the URLs of CloudFormation's requests. The content type is set to an empty text,
 * because the URL's signature may cover it.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html
 */
export function responder(send: Send, wait: Wait): Respond {
  return async (request, answer) => {
    const body = bodyOf(request, answer);
    let problem = '';
    for (const delayMs of [0, ...DELAYS_MS]) {
      if (delayMs > 0) await wait(delayMs);
      const result = await send('PUT', request.responseUrl, { 'Content-Type': '' }, body);
      if (result.kind === 'unanswered') {
        problem = `no answer from ${request.responseUrl.host}: ${messageOf(result.cause)}`;
        continue;
      }
      const { statusCode } = result;
      if (statusCode >= 200 && statusCode < 300) return;
      problem = `${request.responseUrl.host} answered ${statusCode}`;
      if (!isTransient(statusCode)) break;
    }
    throw new AnswerNotSentError(`CloudFormation did not get the answer: ${problem}`);
  };
}
