import { ArnFormat, Stack, Token } from 'aws-cdk-lib';
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
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct, IConstruct, IDependable } from 'constructs';
import { keyServiceNames } from '../../../policy/arn';
import { formatProblem, type Problem } from '../../../policy/problem';
import { acknowledgeRule } from '../cdk-features';
import { atSynthesis } from '../checks';
import { ownedMetricAlarm } from '../construct-tree';
import { ROLE_SEND_ACTIONS } from './key';
import { grantDecryptMessages } from './message-keys';

/** What a move task needs on the queue it empties, and what a principal needs to list and cancel tasks. */
const REDRIVE_ACTIONS = [
  'sqs:StartMessageMoveTask',
  'sqs:ListMessageMoveTasks',
  'sqs:CancelMessageMoveTask',
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
];

const PEEK_ACTIONS = ['sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'];

function combined(first: Grant, others: readonly Grant[]): Grant {
  return others.reduce((all, it) => all.combine(it), first);
}

export function grantSend(queue: IQueue, grantee: IGrantable): Grant {
  const granted = queue.grant(grantee, 'sqs:SendMessage');
  const onKey = queue.encryptionMasterKey?.grant(grantee, ...ROLE_SEND_ACTIONS);
  return onKey ? granted.combine(onKey) : granted;
}

/**
 * Lets a principal move messages from `queue` to `destination` with an SQS move task, and list and cancel such tasks.
 * Messages may still be encrypted with the key of the queue that SQS moved them from.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function grantRedrive(queue: IQueue, grantee: IGrantable, destination: IQueue): Grant {
  const { encryptionMasterKey: key } = destination;
  // The key of the destination may be decrypted with anyway: it is needed to send there.
  const usable = key && key !== queue.encryptionMasterKey ? [key] : [];
  const taking = combined(queue.grant(grantee, ...REDRIVE_ACTIONS), grantDecryptMessages(queue, grantee, usable));
  return taking.combine(grantSend(destination, grantee));
}

/** Lets a principal read the messages of a queue and return them, but not delete them. */
export function grantPeek(queue: IQueue, grantee: IGrantable): Grant {
  return combined(queue.grant(grantee, ...PEEK_ACTIONS), grantDecryptMessages(queue, grantee));
}

/** Adds what a consumer of a dead-letter queue needs to `granted`, the permissions of a consumer of any queue. */
export function grantConsume(queue: IQueue, grantee: IGrantable, granted: Grant): Grant {
  const { encryptionMasterKey: key } = queue;
  return combined(granted, grantDecryptMessages(queue, grantee, key ? [key] : []));
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
 * The role with which SNS writes to one Firehose stream. Its trust policy has no condition on the source, because AWS
 * documents none. The same is true for the role of delivery-status logging.
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
 * Lets a principal read the value of a secret and nothing else: `grantRead` of aws-cdk-lib also allows
 * `DescribeSecret`. A partial ARN is followed by six characters that AWS generates. The principal may use the key only
 * through Secrets Manager. The key policy that aws-cdk-lib writes delegates that permission to the account.
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
 */
export function grantSecretValue(secret: ISecret, grantee: IGrantable): void {
  const { secretFullArn, secretArn, encryptionKey } = secret;
  const value = { actions: ['secretsmanager:GetSecretValue'], resources: [secretFullArn ?? `${secretArn}-??????`] };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(value));
  if (!encryptionKey) return;
  const { region, urlSuffix } = Stack.of(secret);
  const services = keyServiceNames('secretsmanager', region, urlSuffixOf(region, urlSuffix));
  const conditions = { StringEquals: { 'kms:ViaService': services.length > 1 ? services : services[0] } };
  const key = { actions: ['kms:Decrypt'], resources: [encryptionKey.keyArn], conditions };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(key));
}

function urlSuffixOf(region: string, urlSuffix: string): string {
  if (Token.isUnresolved(region)) return urlSuffix;
  return RegionInfo.get(region).domainSuffix ?? urlSuffix;
}

/** The queue policy of an imported queue. Its resource is created with the first statement. */
export class InlinePolicy {
  private readonly document = new PolicyDocument();
  private resource?: CfnQueueInlinePolicy;

  constructor(private readonly queue: IQueue & Construct) {
    const validate = () => [...this.document.validateForResourcePolicy(), ...this.problems().map(formatProblem)];
    queue.node.addValidation({ validate });
  }

  /** @returns what must exist before the statement takes effect */
  public add(statement: PolicyStatement): IDependable {
    const { queue, document } = this;
    document.addStatements(statement);
    this.resource ??= new CfnQueueInlinePolicy(queue, 'Policy', { queue: queue.queueUrl, policyDocument: document });
    return this.resource;
  }

  /**
   * A queue has one policy, and CloudFormation cannot create a second. The first of two constructs that write it is
   * right. An ARN with a token may belong to a different queue in each stack, so those are not compared.
   */
  private problems(): Problem[] {
    const { queue, resource } = this;
    const writers = queue.node.root.node.findAll().filter(it => it instanceof CfnQueueInlinePolicy);
    const first = writers.find(it => it.queue === queue.queueUrl);
    if (!resource || !first || first === resource) return [];
    if (Token.isUnresolved(queue.queueArn) && Stack.of(first) !== Stack.of(queue)) return [];
    const rule = `must be GRANTED_ELSEWHERE because ${first.node.path} writes the policy of the same queue`;
    return [{ property: 'access', rule, value: 'WRITE_POLICY' }];
  }
}

/** Whether all alarms are certainly metric alarms. An imported alarm may be a composite alarm. */
const areMetricAlarms = (alarms: readonly IAlarm[]) => alarms.every(it => ownedMetricAlarm(it) !== undefined);

/**
 * The statement that lets a role read alarms. For metric alarms, CloudWatch checks the permission on all alarms of the
 * Region even if the request names them: its error says `alarm:*`. It returns composite alarms only to a role with
 * permission on `*`.
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

/** Tells cdk-nag, under the rule id it uses, that CloudWatch accepts no narrower resource. */
export function acknowledgeAlarmsOf(role: Role, what: string, alarms: readonly IAlarm[]): void {
  if (!areMetricAlarms(alarms)) {
    acknowledgeRule(role, {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `The function reads ${what}, and CloudWatch returns composite alarms only with a permission on *.`,
    });
    return;
  }
  const { partition, region, account } = Stack.of(role);
  const shown = (value: string, pseudo: string) => (Token.isUnresolved(value) ? `<${pseudo}>` : value);
  const place = [shown(region, 'AWS::Region'), shown(account, 'AWS::AccountId')].join(':');
  acknowledgeRule(role, {
    id: `AwsSolutions-IAM5[Resource::arn:${shown(partition, 'AWS::Partition')}:cloudwatch:${place}:alarm:*]`,
    reason: `The function reads ${what}, and CloudWatch accepts no narrower resource for that.`,
  });
}

/** Tells cdk-nag, under the rule ids it uses, why the resource of a statement has a wildcard. */
export function acknowledgePatterns(scope: IConstruct, arns: readonly string[], reason: string): void {
  atSynthesis(scope, () => {
    for (const arn of arns) {
      const resource = shown(Stack.of(scope).resolve(arn));
      acknowledgeRule(scope, { id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
    }
  });
}

/** A resolved text as cdk-nag shows it: references in angle brackets. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': join, 'Fn::GetAtt': attribute, Ref: ref } = Object(value) as Readonly<Record<string, unknown>>;
  if (Array.isArray(join) && Array.isArray(join[1])) return join[1].map(shown).join(String(join[0]));
  return `<${Array.isArray(attribute) ? attribute.join('.') : String(ref)}>`;
}
