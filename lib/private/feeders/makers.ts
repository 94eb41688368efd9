import { Reference, Tokenization } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { type IGrantable, type IRole, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, type ISchedule } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { grantSend } from '../access/grants';
import { admitRule, admitTopic, refuseUnreachable } from '../access/queue';
import { mismatchProblems } from '../checks';
import { managedKeyProblems } from '../queues/queue-checks';
import { ownedQueue } from '../queues/queue-facts';
import type { Feeder } from './feeder';

function fifoProblems(queue: IQueue, service: string): Problem[] {
  const rule = `must be false, for ${service} takes only a standard queue as dead-letter queue`;
  return queue.fifo ? [{ property: 'fifo', rule, value: true }] : [];
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
function placeProblems(queue: IQueue, source: IQueue): Problem[] {
  const rule = `must be that of its source ${source.node.path},`;
  return [
    ...mismatchProblems('region', rule, source.env.region, queue.env.region),
    ...mismatchProblems('account', rule, source.env.account, queue.env.account),
  ];
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html */
export function topicFeeder(topic: ITopic): Feeder {
  const fifoRule = `must be false, as topic ${topic.node.path} is standard`;
  return {
    names: [topic.topicArn],
    arrives: 'sent',
    problems: queue => [
      ...mismatchProblems('region', `must be that of topic ${topic.node.path},`, topic.env.region, queue.env.region),
      ...(queue.fifo && !topic.fifo ? [{ property: 'fifo', rule: fifoRule, value: true }] : []),
      ...managedKeyProblems('encryption', queue, 'SNS'),
    ],
    admit: (scope, queue) => admitTopic(scope, queue, topic, refuseUnreachable(scope, queue)),
    tell: queue => queue.fedByTopic(topic),
  };
}

export function ruleFeeder(rule: IRule): Feeder {
  return {
    names: [rule.node.defaultChild?.node.path],
    arrives: 'sent',
    problems: queue => [
      ...fifoProblems(queue, 'EventBridge'),
      ...managedKeyProblems('encryption', queue, 'EventBridge'),
    ],
    admit: (scope, queue) => admitRule(scope, queue, rule, refuseUnreachable(scope, queue)),
    tell: queue => {
      queue.fedByRule(rule);
      return undefined;
    },
  };
}

export function functionFeeder(handler: IFunction): Feeder {
  return {
    names: [handler.node.defaultChild?.node.path, handler.functionName],
    arrives: 'sent',
    problems: queue => fifoProblems(queue, 'Lambda'),
    grant: (_scope, queue) => {
      grantSend(queue, handler);
    },
    tell: queue => {
      queue.fedByFunction(handler);
      return undefined;
    },
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
    arrives: 'sent',
    problems: queue => [
      ...fifoProblems(queue, 'EventBridge Scheduler'),
      ...(isKnown ? [] : [{ property: 'schedule', rule: roleRule, value: schedule.node.path }]),
    ],
    grant: (scope, queue) => {
      const role = executionRole(scope, schedule);
      if (role) grantSend(queue, role).applyBefore(schedule);
    },
    tell: queue => {
      queue.fedBySchedule(schedule);
      return undefined;
    },
  };
}

export function roleFeeder(grantee: IGrantable): Feeder {
  const { grantPrincipal } = grantee;
  return {
    names: ['roleArn' in grantPrincipal ? String(grantPrincipal.roleArn) : undefined],
    arrives: 'sent',
    grant: (_scope, queue) => {
      grantSend(queue, grantee);
    },
    tell: queue => {
      queue.fedByRole(grantee);
      return undefined;
    },
  };
}

export function queueFeeder(source: IQueue): Feeder {
  const fifoRule = `must be ${source.fifo}, as its source ${source.node.path} is`;
  return {
    names: [ownedQueue(source)?.node.path],
    arrives: 'moved',
    problems: queue => [
      ...placeProblems(queue, source),
      ...(queue.fifo === source.fifo ? [] : [{ property: 'fifo', rule: fifoRule, value: queue.fifo }]),
    ],
    source,
    tell: queue => {
      queue.fedByQueue(source);
      return undefined;
    },
  };
}
