import type { Wait } from '../../mover/clock';
import { messageOf } from '../shared/connections';
import type { Send } from '../shared/http-send';

/** One request of CloudFormation, as far as it can be answered: its properties are judged by `readProperties`. */
export interface Request {
  /** `Create`, `Update` or `Delete`, unless CloudFormation learns another. */
  readonly requestType: string;
  /** Signed: whoever knows it may answer, so it is never shown. */
  readonly responseUrl: URL;
  readonly stackId: string;
  readonly requestId: string;
  readonly logicalId: string;
  /** What an earlier answer named the resource; undefined before the first. */
  readonly physicalId: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What the template wants. */
export interface Properties {
  readonly topicArn: string;
  /** The JSON of the topic's `DeliveryPolicy` attribute. */
  readonly deliveryPolicy: string;
}

/** Something that cannot be answered, for it does not say where. */
export class NotARequestError extends Error {
  override readonly name = 'NoRequestError';
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function text(members: Members, name: string): string {
  const value = members[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new NotARequestError(`no request of CloudFormation: ${name} must be text that is not empty`);
}

/**
 * Reads what CloudFormation sent.
 * @throws NoRequestError where it lacks what an answer needs; the error does not show the URL
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html
 */
export function readRequest(event: unknown): Request {
  const members = membersOf(event);
  const url = text(members, 'ResponseURL');
  const responseUrl = URL.canParse(url) ? new URL(url) : undefined;
  if (responseUrl?.protocol !== 'https:') {
    throw new NotARequestError('no request of CloudFormation: ResponseURL must be an https URL');
  }
  const physicalId = members['PhysicalResourceId'];
  return {
    requestType: text(members, 'RequestType'),
    responseUrl,
    stackId: text(members, 'StackId'),
    requestId: text(members, 'RequestId'),
    logicalId: text(members, 'LogicalResourceId'),
    physicalId: typeof physicalId === 'string' && physicalId !== '' ? physicalId : undefined,
    properties: membersOf(members['ResourceProperties']),
  };
}

const RULES: readonly (readonly [name: string, rule: string, pattern: RegExp])[] = [
  ['TopicArn', "must be a topic's ARN", /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w.-]+$/],
  ['DeliveryPolicy', 'must be a JSON object, as text', /^\s*\{/],
];

/** What the template wants, or everything that is wrong with it in one sentence. */
export function readProperties(properties: Members): Properties | string {
  const problems = RULES.flatMap(([name, rule, pattern]) => {
    const value = properties[name];
    return typeof value === 'string' && pattern.test(value) ? [] : [`${name} ${rule}, got ${JSON.stringify(value)}`];
  });
  if (problems.length > 0) return problems.join('; ');
  return { topicArn: String(properties['TopicArn']), deliveryPolicy: String(properties['DeliveryPolicy']) };
}

/** What CloudFormation is told. */
export interface Answer {
  readonly status: 'SUCCESS' | 'FAILED';
  readonly physicalId: string;
  /** Why it failed; CloudFormation shows it in the stack's events. */
  readonly reason?: string;
}

/** Answers a request, or rejects when CloudFormation could not be told. */
export type Respond = (request: Request, answer: Answer) => Promise<void>;

/** An answer may have 4,096 bytes; a character of JSON takes six at most. */
const LONGEST_REASON = 500;

/** Before each further try to leave an answer. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000];

/** The answer did not arrive. The request is then made again by Lambda, and everything done for it is done again. */
export class AnswerNotSentError extends Error {
  override readonly name = 'NotToldError';
}

function bodyOf(request: Request, { status, physicalId, reason }: Answer): string {
  return JSON.stringify({
    Status: status,
    PhysicalResourceId: physicalId,
    StackId: request.stackId,
    RequestId: request.requestId,
    LogicalResourceId: request.logicalId,
    ...(reason !== undefined && { Reason: reason.slice(0, LONGEST_REASON) }),
  });
}

/** Whether asking again may help: a URL that S3 refuses stays refused. */
function mayPass(statusCode: number): boolean {
  return statusCode >= 500 || statusCode === 429;
}

/**
 * Leaves answers at the URLs CloudFormation named. Its signature may cover an empty content type, so there is one.
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
      if (!mayPass(statusCode)) break;
    }
    throw new AnswerNotSentError(`CloudFormation could not be told: ${problem}`);
  };
}
