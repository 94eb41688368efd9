import { SetTopicAttributesCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { Wait } from '../../mover/clock';
import { errorOf, type Log } from '../shared/log';
import { type Answer, type Request, type Respond, readProperties, readRequest } from './cloudformation-request';

/** What the handler needs of the world. */
export interface Ports {
  readonly setDeliveryPolicy: SetDeliveryPolicy;
  readonly respond: Respond;
  readonly wait: Wait;
  readonly log: Log;
}

/** A new permission takes seconds to reach SNS after CloudFormation has made it: before each further try. */
const PERMISSION_DELAYS_MS = [2_000, 4_000, 8_000, 16_000];

/**
 * What a failed `Create` names the resource, after its logical id. CloudFormation then asks for its deletion, which must
 * not hold up the rollback: nothing is to be undone where SNS said no, and a topic that may have the policy is put right
 * if that can be done.
 */
const NEVER_SET = ':never-set';
const PERHAPS_SET = ':perhaps-set';

/** What SNS understands as no policy. */
const NONE = '';

const DONE: PolicyOutcome = { kind: 'done' };

async function withNewPermission(set: () => Promise<PolicyOutcome>, { wait }: Ports): Promise<PolicyOutcome> {
  let outcome = await set();
  for (const delayMs of PERMISSION_DELAYS_MS) {
    if (outcome.kind !== 'denied') break;
    await wait(delayMs);
    outcome = await set();
  }
  return outcome;
}

/** Makes the topic's policy what the template says. */
async function put({ properties }: Request, ports: Ports): Promise<PolicyOutcome> {
  const wanted = readProperties(properties);
  if (typeof wanted === 'string') return { kind: 'refused', reason: wanted };
  return withNewPermission(() => ports.setDeliveryPolicy(wanted.topicArn, wanted.deliveryPolicy), ports);
}

/** Gives the topic SNS's default back. A topic that is gone needs none. */
async function remove(request: Request, ports: Ports): Promise<PolicyOutcome> {
  const { properties, physicalId = '' } = request;
  if (physicalId.endsWith(NEVER_SET)) return DONE;
  const isRollback = physicalId.endsWith(PERHAPS_SET);
  const wanted = readProperties(properties);
  if (typeof wanted === 'string') return isRollback ? DONE : { kind: 'refused', reason: wanted };
  const reset = () => ports.setDeliveryPolicy(wanted.topicArn, NONE);
  const outcome = isRollback ? await reset() : await withNewPermission(reset, ports);
  if (outcome.kind === 'done' || outcome.kind === 'gone') return DONE;
  if (!isRollback) return outcome;
  ports.log({ level: 'WARN', message: 'the topic may keep the policy', ...wanted, reason: outcome.reason });
  return DONE;
}

type Act = (request: Request, ports: Ports) => Promise<PolicyOutcome>;

const ACTS: Readonly<Record<string, Act>> = { Create: put, Update: put, Delete: remove };

async function outcomeOf(request: Request, ports: Ports): Promise<PolicyOutcome> {
  const act = Object.hasOwn(ACTS, request.requestType) ? ACTS[request.requestType] : undefined;
  if (!act)
    return { kind: 'refused', reason: `RequestType must be Create, Update or Delete, got ${request.requestType}` };
  try {
    return await act(request, ports);
  } catch (error) {
    return { kind: 'unknown', reason: errorOf(error).message };
  }
}

/**
 * The physical id stays what it was, so that a topic that is replaced is an update: its old policy goes with the old topic,
 * which the function may not touch any more.
 */
function answerTo({ physicalId, logicalId }: Request, outcome: PolicyOutcome): Answer {
  if (outcome.kind === 'done') return { status: 'SUCCESS', physicalId: physicalId ?? logicalId };
  const failedId = `${logicalId}${outcome.kind === 'unknown' ? PERHAPS_SET : NEVER_SET}`;
  return { status: 'FAILED', physicalId: physicalId ?? failedId, reason: outcome.reason };
}

/**
 * Sets, changes and removes a topic's delivery policy for CloudFormation, which is answered whatever happens. The same
 * request may come twice and does the same twice.
 * @throws NoRequestError for what is no request, and NotToldError where the answer could not be left
 */
export function topicDeliveryPolicyHandler(ports: Ports): (event: unknown) => Promise<void> {
  return async event => {
    const request = readRequest(event);
    const { requestType, requestId, logicalId, properties } = request;
    const asked = { requestType, requestId, logicalId, topicArn: properties['TopicArn'] };
    const answer = answerTo(request, await outcomeOf(request, ports));
    const { status, reason, physicalId } = answer;
    ports.log({ level: status === 'SUCCESS' ? 'INFO' : 'ERROR', message: status, ...asked, physicalId, reason });
    await ports.respond(request, answer);
  };
}

/** What came of setting a topic's delivery policy. */
export type PolicyOutcome =
  | { readonly kind: 'done' }
  /** SNS said no, and nothing is changed. */
  | { readonly kind: 'gone' | 'denied' | 'refused'; readonly reason: string }
  /** SNS may have done it, or not. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** Sets a topic's `DeliveryPolicy`; the empty text removes it, and SNS's default holds again. */
export type SetDeliveryPolicy = (topicArn: string, policy: string) => Promise<PolicyOutcome>;

const KINDS: Readonly<Record<string, 'gone' | 'denied'>> = {
  NotFound: 'gone',
  NotFoundException: 'gone',
  AuthorizationError: 'denied',
  AuthorizationErrorException: 'denied',
};

function outcomeOfError(error: unknown): PolicyOutcome {
  const { name, message, $metadata } = error as Partial<{ name: string; message: string; $metadata: Metadata }>;
  const { httpStatusCode = 0, requestId } = $metadata ?? {};
  const reason = `${name}: ${message}${requestId ? ` (SNS request ${requestId})` : ''}`;
  if (httpStatusCode < 400 || httpStatusCode >= 500) return { kind: 'unknown', reason };
  return { kind: KINDS[String(name)] ?? 'refused', reason };
}

interface Metadata {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html */
export function deliveryPolicySetter(client: SNSClient): SetDeliveryPolicy {
  return async (topicArn, policy) => {
    const input = { TopicArn: topicArn, AttributeName: 'DeliveryPolicy', AttributeValue: policy };
    try {
      await client.send(new SetTopicAttributesCommand(input));
      return { kind: 'done' };
    } catch (error) {
      return outcomeOfError(error);
    }
  };
}
