import { errorOf } from '../shared/log';
import { type CloudFormationAnswer, type Request, type Respond, readRequest } from './cloudformation-request';
import { DELIVERY_POLICY_ACTS, type DeliveryPolicyPorts } from './delivery-policy';
import { LOG_GROUP_ACTS, type LogGroupPorts, logGroupAttributes } from './log-groups';
import { type Act, type Acts, NEVER_SET, type Outcome, PERHAPS_SET } from './outcome';

export interface TopicSettingsPorts extends DeliveryPolicyPorts, LogGroupPorts {
  readonly respond: Respond;
}

interface Resource {
  readonly acts: Acts<TopicSettingsPorts>;
  /** The values of `Fn::GetAtt`. @default - none */
  readonly attributes?: (request: Request) => Readonly<Record<string, string>>;
}

const RESOURCES: Readonly<Record<string, Resource>> = {
  'Custom::TopicDeliveryPolicy': { acts: DELIVERY_POLICY_ACTS },
  'Custom::DeliveryStatusLogGroups': { acts: LOG_GROUP_ACTS, attributes: logGroupAttributes },
};

/**
 * Carries out CloudFormation's requests about a topic's delivery policy and its log groups. It answers every request. The same
 * request may come twice, with the same effect.
 * @throws NotARequestError if the event is not a request, and AnswerNotSentError if the answer could not be sent
 */
export function topicSettingsHandler(ports: TopicSettingsPorts): (event: unknown) => Promise<void> {
  return async event => {
    const request = readRequest(event);
    const { resourceType, requestType, requestId, logicalId, properties } = request;
    const resource = Object.hasOwn(RESOURCES, resourceType) ? RESOURCES[resourceType] : undefined;
    const asked = { requestType, resourceType, requestId, logicalId, topicArn: properties['TopicArn'] };
    const answer = answerTo(request, await outcomeOf(request, resource, ports), resource);
    const { status, reason, physicalId } = answer;
    ports.log({ level: status === 'SUCCESS' ? 'INFO' : 'ERROR', message: status, ...asked, physicalId, reason });
    await ports.respond(request, answer);
  };
}

async function outcomeOf(
  request: Request,
  resource: Resource | undefined,
  ports: TopicSettingsPorts,
): Promise<Outcome> {
  const { requestType, resourceType } = request;
  if (!resource) {
    return { kind: 'refused', reason: `ResourceType must be one of ${Object.keys(RESOURCES)}, got ${resourceType}` };
  }
  const act = actOf(resource.acts, requestType);
  if (!act) return { kind: 'refused', reason: `RequestType must be Create, Update or Delete, got ${requestType}` };
  try {
    return await act(request, ports);
  } catch (error) {
    return { kind: 'unknown', reason: errorOf(error).message };
  }
}

function actOf(acts: Acts<TopicSettingsPorts>, requestType: string): Act<TopicSettingsPorts> | undefined {
  return new Map<string, Act<TopicSettingsPorts>>(Object.entries(acts)).get(requestType);
}

/**
 * Keeps the physical id, so that replacing the topic is an update. Then the old policy goes with the old topic, to which the
 * function no longer has access.
 */
function answerTo(request: Request, outcome: Outcome, resource: Resource | undefined): CloudFormationAnswer {
  const { physicalId, logicalId } = request;
  if (outcome.kind === 'done') {
    const data = resource?.attributes?.(request);
    return { status: 'SUCCESS', physicalId: physicalId ?? `${logicalId}${outcome.mark ?? ''}`, ...(data && { data }) };
  }
  const failedId = `${logicalId}${outcome.kind === 'unknown' ? PERHAPS_SET : NEVER_SET}`;
  return { status: 'FAILED', physicalId: physicalId ?? failedId, reason: outcome.reason };
}
