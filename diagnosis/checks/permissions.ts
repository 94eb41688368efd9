import { displayNameOf, parseArn } from '../../policy/arn';
import { isUnsupportedBetweenRegions, regionalSnsPrincipal } from '../../policy/aws-limits';
import { capitalized } from '../../policy/format-text';
import type { RequestKeys } from '../../template/access/access-question';
import type { Fix, Guard } from '../fixes/fix';
import { allowInvoke, allowPublish, allowSend, functionGuard, queueGuard, topicGuard } from '../fixes/grant-access';
import { type Access, boundaryAgainst, letIn, mayAccess } from '../fixes/let-in';
import type { Inventory, QueueFacts, Resource, TopicFacts } from '../inventory/inventory';
import { functionOf, qualifierOf, queueOf, roleOf, topicOf, topicPolicyOf } from '../inventory/look-ups';
import { type Sender, type SenderIdentity, sendersOf, whatIsLost, whoSends } from '../inventory/senders';
import { type Check, type CheckResult, severityOf } from './finding';

type ServiceIdentity = Extract<SenderIdentity, { readonly service: string }>;

/** The resource that receives, and the permission needed. */
interface Target {
  readonly resource: Resource;
  readonly action: string;
  readonly guard: Guard;
  /** The condition keys known for the request, except those of the sender. */
  readonly keys: RequestKeys;
  readonly grant: (who: ServiceIdentity) => Fix;
}

function queueTarget(resource: QueueFacts): Target {
  const grant = (who: ServiceIdentity) => allowSend(resource, who);
  return { resource, action: 'sqs:SendMessage', guard: queueGuard(resource), keys: {}, grant };
}

function topicTarget(resource: TopicFacts): Target {
  const grant = (who: ServiceIdentity) => allowPublish(resource, who);
  // SNS's default topic policy allows callers that send the account of their source. EventBridge does not send it.
  const keys = { 'aws:sourceowner': undefined };
  const guard = topicGuard(resource, topicPolicyOf(resource));
  return { resource, action: 'sns:Publish', guard, keys, grant };
}

/** In an account, versions and aliases have policies of their own, which are not read. */
function functionTarget(arn: string, inventory: Inventory, by: Resource): Target | undefined {
  const resource = functionOf(arn, inventory, by);
  if (resource === undefined || (resource.place === undefined && qualifierOf(arn) !== undefined)) return undefined;
  const grant = (who: ServiceIdentity) => allowInvoke(arn, who);
  return { resource, action: 'lambda:InvokeFunction', guard: functionGuard(resource), keys: {}, grant };
}

/** A Firehose stream has no policy, and is not in the inventory. */
function streamTarget(arn: string, by: Resource): Target | undefined {
  const name = displayNameOf(arn);
  const guard: Guard = { where: `the stream ${name}`, kind: 'resource', policy: undefined };
  const grant = () => ({ says: `Let a role write to the stream ${name}.` });
  return { resource: { ...by, arn, name }, action: 'firehose:PutRecord', guard, keys: {}, grant };
}

function targetOf({ targetArn: arn, by }: Sender, inventory: Inventory): Target | undefined {
  if (parseArn(arn)?.service === 'firehose') return streamTarget(arn, by);
  const queue = queueOf(arn, inventory, by);
  if (queue) return queueTarget(queue);
  const topic = topicOf(arn, inventory, by);
  return topic ? topicTarget(topic) : functionTarget(arn, inventory, by);
}

/** What a sender wants of its target; undefined if its role is not in the inventory. */
function accessOf({ as, by, targetArn: resource }: Sender, target: Target, inventory: Inventory): Access | undefined {
  const { action, guard, keys, grant } = target;
  if ('service' in as) return { asked: [{ ...as, action, resource, keys }], guard, grant: grant(as) };
  const role = roleOf(as.roleArn, inventory, by);
  return role && { asked: [{ roleArn: role.arn, action, resource }], guard, role };
}

/** A sender with its target, and what it wants there. */
interface Arrival {
  readonly sender: Sender;
  readonly target: Target;
  readonly access: Access;
}

/** Every sender to a resource of the inventory, except SNS where its principal is that of an opt-in Region. */
export function arrivalsOf(inventory: Inventory): readonly Arrival[] {
  return sendersOf(inventory).flatMap(sender => {
    const target = nameAcross(sender) === undefined ? targetOf(sender, inventory) : undefined;
    const access = target && accessOf(sender, target, inventory);
    return target && access ? [{ sender, target, access }] : [];
  });
}

/** The regional service principal of SNS, for deliveries to or from an opt-in Region. */
function nameAcross({ as, targetArn }: Sender): string | undefined {
  if (!('service' in as) || as.service !== 'sns.amazonaws.com') return undefined;
  const [from, to] = [parseArn(as.sourceArn)?.region, parseArn(targetArn)?.region];
  return from && to ? regionalSnsPrincipal(from, to) : undefined;
}

const CHECKS_BY_SERVICE: Readonly<Record<string, string>> = {
  sqs: 'queue-policy-keeps-out',
  sns: 'topic-policy-keeps-out',
  lambda: 'function-policy-keeps-out',
};

function keepsOut(service: string) {
  return (inventory: Inventory): CheckResult[] =>
    arrivalsOf(inventory).flatMap(({ sender, target, access }): CheckResult[] => {
      const { as, targetArn } = sender;
      if (!('service' in as) || parseArn(targetArn)?.service !== service || mayAccess(access) !== 'no') return [];
      return [
        {
          severity: severityOf(sender),
          resource: target.resource,
          others: [sender.by.arn],
          says: capitalized(
            `${target.guard.where} does not allow ${as.service} for ${sender.by.name}: ${whatIsLost(sender)}.`,
          ),
          fix: letIn(access),
        },
      ];
    });
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html */
function wrongNameInOptIn(inventory: Inventory): CheckResult[] {
  return sendersOf(inventory).flatMap((sender): CheckResult[] => {
    const service = nameAcross(sender);
    const target = targetOf(sender, inventory);
    if (service === undefined || target === undefined || !('service' in sender.as)) return [];
    const [from, to] = [parseArn(sender.as.sourceArn), parseArn(sender.targetArn)];
    if (from && to && isUnsupportedBetweenRegions(from.region, to.region, to.service)) return [];
    // A missing policy is reported here too: `keepsOut` skips these deliveries.
    const { action, keys, guard, resource } = target;
    const as = { ...sender.as, service };
    const question = { ...as, isOnlyPrincipal: true, action, resource: sender.targetArn, keys };
    const access: Access = { asked: [question], guard, grant: target.grant(as) };
    if (mayAccess(access) !== 'no') return [];
    return [
      {
        severity: 'loses',
        resource,
        others: [sender.by.arn],
        says: `${sender.by.name} delivers to or from an opt-in Region, where the principal of SNS is ${service}, and the policy of ${resource.name} does not allow that: ${whatIsLost(sender)}.`,
        fix: letIn(access),
      },
    ];
  });
}

function roleMayNotSend(inventory: Inventory): CheckResult[] {
  return arrivalsOf(inventory).flatMap(({ sender, target, access }): CheckResult[] => {
    if (!('role' in access) || mayAccess(access) !== 'no') return [];
    const boundary = boundaryAgainst(access);
    const why = boundary === undefined ? '' : `, because ${boundary} does not allow it`;
    return [
      {
        severity: severityOf(sender),
        resource: access.role,
        others: [sender.by.arn, target.resource.arn],
        says: capitalized(
          `${whoSends(sender, inventory)} of ${sender.by.name} has no permission for ${target.action} on ${target.resource.name}${why}: ${whatIsLost(sender)}.`,
        ),
        fix: letIn(access),
      },
    ];
  });
}

export const PERMISSION_CHECKS: readonly Check[] = [
  ...Object.entries(CHECKS_BY_SERVICE).map(
    ([service, id]): Check => ({
      id,
      // Of those senders that are services, only queues receive dead letters.
      severities: service === 'sqs' ? ['loses', 'at-risk'] : ['loses'],
      reportsMissing: 'configuration',
      find: keepsOut(service),
    }),
  ),
  {
    id: 'principal-of-opt-in-region',
    severities: ['loses'],
    reportsMissing: 'configuration',
    find: wrongNameInOptIn,
  },
  { id: 'role-may-not-send', severities: ['loses', 'at-risk'], reportsMissing: 'configuration', find: roleMayNotSend },
];
