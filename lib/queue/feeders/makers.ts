import { Reference, Tokenization } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { type IGrantable, type IRole, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, type ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import type { Problem } from '../../../policy/problem';
import { grantSend } from '../../shared/access/grants';
import { allowRule, allowTopic, refuseUnreachable } from '../../shared/access/queue';
import { mismatchProblems } from '../../shared/checks';
import { DeadLetterFeederKind } from '../dead-letter-feeder';
import { managedKeyProblems } from '../processing/queue-checks';
import { ownedQueue } from '../processing/queue-facts';
import type { DeadLetterArrivals, Feeder } from './feeder';
import { sameQueueProblems, sourceOf, sourceProblems } from './source-problems';

/** Dead letters that somebody sends. */
function sent(kind: DeadLetterFeederKind, construct: IConstruct, what: string): DeadLetterArrivals {
  return { feeder: { kind, construct }, by: 'sent', what };
}

function fifoProblems(queue: IQueue, service: string): Problem[] {
  const rule = `must be false, for ${service} takes only a standard queue as dead-letter queue`;
  return queue.fifo ? [{ property: 'fifo', rule, value: true }] : [];
}

/**
 * @param delivery what the alarm calls the delivery whose dead letters they are, where there is one
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 */
export function topicFeeder(topic: ITopic, delivery?: string): Feeder {
  const fifoRule = `must be false, as topic ${topic.node.path} is standard`;
  const to = delivery === undefined ? '' : ` to ${delivery}`;
  return {
    names: [topic.topicArn],
    arrivals: sent(DeadLetterFeederKind.TOPIC, topic, `what topic ${topic.node.path} could not deliver${to}`),
    problems: queue => [
      ...mismatchProblems('region', `must be that of topic ${topic.node.path},`, topic.env.region, queue.env.region),
      ...(queue.fifo && !topic.fifo ? [{ property: 'fifo', rule: fifoRule, value: true }] : []),
      ...managedKeyProblems('encryption', queue, 'SNS'),
    ],
    allowService: (scope, queue) => allowTopic(scope, queue, topic, refuseUnreachable(scope, queue)),
  };
}

export function ruleFeeder(rule: IRule): Feeder {
  return {
    names: [rule.node.defaultChild?.node.path],
    arrivals: sent(DeadLetterFeederKind.RULE, rule, `what rule ${rule.node.path} could not deliver`),
    problems: queue => [
      ...mismatchProblems('region', `must be that of rule ${rule.node.path},`, rule.env.region, queue.env.region),
      ...fifoProblems(queue, 'EventBridge'),
      ...managedKeyProblems('encryption', queue, 'EventBridge'),
    ],
    allowService: (scope, queue) => allowRule(scope, queue, rule, refuseUnreachable(scope, queue)),
  };
}

export function functionFeeder(handler: IFunction): Feeder {
  return {
    names: [handler.node.defaultChild?.node.path, handler.functionName],
    arrivals: sent(DeadLetterFeederKind.FUNCTION, handler, `what function ${handler.node.path} failed on`),
    problems: queue => fifoProblems(queue, 'Lambda'),
    grantRole: (_scope, queue) => [grantSend(queue, handler)],
  };
}

/** The role a schedule sends with, which only its resource names; undefined where that is not in this app. */
function executionRole(scope: Construct, schedule: ISchedule): IRole | undefined {
  const resource = schedule.node.defaultChild;
  if (!(resource instanceof CfnSchedule) || !('roleArn' in resource.target)) return undefined;
  const { roleArn } = resource.target;
  const { firstToken } = Tokenization.reverseString(roleArn);
  const owner = Reference.isReference(firstToken) ? firstToken.target.node.scope : undefined;
  return Role.isRole(owner) ? owner : Role.fromRoleArn(scope, `RoleOf${schedule.node.addr}`, roleArn);
}

export function scheduleFeeder(schedule: ISchedule): Feeder {
  const roleRule = 'must be made in this app, for it names its role; or pass the role to fedByRole';
  const isKnown = schedule.node.defaultChild instanceof CfnSchedule;
  return {
    names: [schedule.node.defaultChild?.node.path],
    arrivals: sent(DeadLetterFeederKind.SCHEDULE, schedule, `what schedule ${schedule.node.path} could not deliver`),
    problems: queue => [
      ...fifoProblems(queue, 'EventBridge Scheduler'),
      ...(isKnown ? [] : [{ property: 'schedule', rule: roleRule, value: schedule.node.path }]),
    ],
    grantRole: (scope, queue) => {
      const role = executionRole(scope, schedule);
      if (!role) return [];
      const grant = grantSend(queue, role);
      grant.applyBefore(schedule);
      return [grant];
    },
  };
}

export function roleFeeder(grantee: IGrantable): Feeder {
  const { grantPrincipal } = grantee;
  const construct = [grantee, grantPrincipal].find(it => Construct.isConstruct(it));
  const feeder = { kind: DeadLetterFeederKind.ROLE, ...(construct && { construct }) };
  const name = construct ? construct.node.path : String(grantPrincipal);
  return {
    names: ['roleArn' in grantPrincipal ? String(grantPrincipal.roleArn) : undefined],
    arrivals: { feeder, by: 'sent', what: `what ${name} gave up on` },
    grantRole: (_scope, queue) => [grantSend(queue, grantee)],
  };
}

/** Names the queue as its dead-letter queue, by which SQS's move task takes letters from it, and brings none itself. */
export function anchorFeeder(anchor: IQueue): Feeder {
  return {
    names: [ownedQueue(anchor)?.node.path],
    problems: queue => {
      const same = sameQueueProblems(queue, anchor);
      return same.length > 0 ? same : sourceProblems(queue, sourceOf(anchor));
    },
    namedBy: anchor,
  };
}

export function queueFeeder(source: IQueue): Feeder {
  const feeder = { kind: DeadLetterFeederKind.QUEUE, construct: source };
  return { ...anchorFeeder(source), arrivals: { feeder, by: 'moved', what: `queue ${source.node.path}`, source } };
}
