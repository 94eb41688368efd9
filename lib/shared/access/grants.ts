import { ArnFormat, Stack, Token, Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type Grant,
  type IGrantable,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnQueueInlinePolicy, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { formatProblem, type Problem } from '../../../policy/problem';
import { ownedMetricAlarm } from '../construct-tree';
import { ROLE_SEND_ACTIONS } from './key';

const READ_KEY_ACTIONS = ['kms:Decrypt'];

/** Everything a move task takes of the queue it empties, and whoever watches it. */
const REDRIVE_ACTIONS = [
  'sqs:StartMessageMoveTask',
  'sqs:ListMessageMoveTasks',
  'sqs:CancelMessageMoveTask',
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
];

const PEEK_ACTIONS = ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'];

function grant(queue: IQueue, grantee: IGrantable, actions: string[], keyActions: string[]): Grant {
  const granted = queue.grant(grantee, ...actions);
  const onKey = queue.encryptionMasterKey?.grant(grantee, ...keyActions);
  return onKey ? granted.combine(onKey) : granted;
}

/** Lets somebody send to a queue, and use its key for that. */
export function grantSend(queue: IQueue, grantee: IGrantable): Grant {
  return grant(queue, grantee, ['sqs:SendMessage'], ROLE_SEND_ACTIONS);
}

/**
 * Lets somebody move what is in `queue` to `destination`, by a move task of SQS, and watch and cancel such tasks.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function grantRedrive(queue: IQueue, grantee: IGrantable, destination: IQueue): Grant {
  return grant(queue, grantee, REDRIVE_ACTIONS, READ_KEY_ACTIONS).combine(grantSend(destination, grantee));
}

/** Lets somebody look at the messages in a queue, and put them back, but not take them out. */
export function grantPeek(queue: IQueue, grantee: IGrantable): Grant {
  return grant(queue, grantee, PEEK_ACTIONS, READ_KEY_ACTIONS);
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/prereqs-kinesis-data-firehose.html */
const STREAM_ACTIONS = [
  'firehose:DescribeDeliveryStream',
  'firehose:ListDeliveryStreams',
  'firehose:ListTagsForDeliveryStream',
  'firehose:PutRecord',
  'firehose:PutRecordBatch',
];

/**
 * The role SNS writes to one Firehose stream with. Its trust has no condition on the source: as for the role of
 * delivery-status logging, AWS documents none.
 */
export function addStreamRole(scope: Construct, stream: IDeliveryStream): Role {
  const role = new Role(scope, 'Role', {
    description: 'Lets SNS put messages into a Firehose stream.',
    assumedBy: new ServicePrincipal('sns.amazonaws.com'),
  });
  role.addToPolicy(new PolicyStatement({ actions: STREAM_ACTIONS, resources: [stream.deliveryStreamArn] }));
  return role;
}

/**
 * Lets somebody read the value of a secret, and nothing else of it: `grantRead` of aws-cdk-lib lets them describe it too. A
 * secret known by a partial ARN has six characters behind it that AWS made up. Of its key they may use only what Secrets
 * Manager asks for in their name; the key's own policy leaves that to their account, as aws-cdk-lib writes it.
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
 */
export function grantSecretValue(secret: ISecret, grantee: IGrantable): void {
  const { secretFullArn, secretArn, encryptionKey } = secret;
  const value = { actions: ['secretsmanager:GetSecretValue'], resources: [secretFullArn ?? `${secretArn}-??????`] };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(value));
  if (!encryptionKey) return;
  const { region, urlSuffix } = Stack.of(secret);
  const conditions = { StringEquals: { 'kms:ViaService': `secretsmanager.${region}.${urlSuffix}` } };
  const key = { actions: ['kms:Decrypt'], resources: [encryptionKey.keyArn], conditions };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(key));
}

/** The whole policy of a queue that was made elsewhere. It is made with its first statement. */
export class InlinePolicy {
  private readonly document = new PolicyDocument();
  private resource?: CfnQueueInlinePolicy;

  constructor(private readonly queue: IQueue & Construct) {
    const validate = () => [...this.document.validateForResourcePolicy(), ...this.problems().map(formatProblem)];
    queue.node.addValidation({ validate });
  }

  /** @returns what must be there before the statement holds */
  public add(statement: PolicyStatement): IDependable {
    const { queue, document } = this;
    document.addStatements(statement);
    this.resource ??= new CfnQueueInlinePolicy(queue, 'Policy', { queue: queue.queueUrl, policyDocument: document });
    return this.resource;
  }

  /**
   * A queue has one policy, and CloudFormation creates none where there is one. The first of two that write it is right.
   * An ARN with a token in it may be another queue's in another stack.
   */
  private problems(): Problem[] {
    const { queue, resource } = this;
    const writers = queue.node.root.node.findAll().filter(it => it instanceof CfnQueueInlinePolicy);
    const first = writers.find(it => it.queue === queue.queueUrl);
    if (!resource || !first || first === resource) return [];
    if (Token.isUnresolved(queue.queueArn) && Stack.of(first) !== Stack.of(queue)) return [];
    const rule = `must be GRANTED_ELSEWHERE where ${first.node.path} writes the policy of the same queue`;
    return [{ property: 'access', rule, value: 'WRITE_POLICY' }];
  }
}

/** Whether all are metric alarms for certain: one that was made elsewhere may be a composite alarm. */
const areMetricAlarms = (alarms: readonly IAlarm[]) => alarms.every(it => ownedMetricAlarm(it) !== undefined);

/**
 * What a role must be let into to be told of alarms. Of metric alarms by name CloudWatch still asks for a permission on all
 * those of the Region: its refusals say `alarm:*`. Of composite ones it tells nobody whose permission is narrower than `*`.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 */
export function alarmsStatement(
  scope: IConstruct,
  actions: readonly string[],
  alarms: readonly IAlarm[],
): PolicyStatement {
  const everyAlarm = Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({ actions: [...actions], resources: [areMetricAlarms(alarms) ? everyAlarm : '*'] });
}

/** Says to cdk-nag, by the name it has for it, that CloudWatch leaves no choice about that wildcard. */
export function acknowledgeAlarmsOf(role: Role, what: string, alarms: readonly IAlarm[]): void {
  if (!areMetricAlarms(alarms)) {
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `The function looks at ${what}, and CloudWatch tells of composite alarms only by a permission on *.`,
    });
    return;
  }
  const { partition, region, account } = Stack.of(role);
  const shown = (value: string, pseudo: string) => (Token.isUnresolved(value) ? `<${pseudo}>` : value);
  const place = [shown(region, 'AWS::Region'), shown(account, 'AWS::AccountId')].join(':');
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:${shown(partition, 'AWS::Partition')}:cloudwatch:${place}:alarm:*]`,
    reason: `The function looks at ${what}, and CloudWatch takes no narrower resource for that.`,
  });
}
