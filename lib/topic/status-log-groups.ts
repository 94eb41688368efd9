import { ArnFormat, Aws, CustomResource, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnTopic, type ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { statusLogGroups } from '../../policy/messages/delivery-status';
import { acknowledgePatterns } from '../shared/access/grants';
import { nameByTopic, SERVICE_TIMEOUT, TopicSettingsFunction } from './topic-settings-function';

interface StatusLogGroupsProps {
  readonly topic: ITopic;
  /** @default RetentionDays.THREE_MONTHS */
  readonly retention?: RetentionDays;
  /** @default - CloudWatch Logs encrypts with a key of its own */
  readonly encryptionKey?: IKey;
  /** @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy;
}

type Names = ReturnType<typeof statusLogGroups>;

interface StatusLogGroups {
  readonly success: ILogGroup;
  readonly failure: ILogGroup;
}

/**
 * Creates the log groups of a topic, or takes over existing ones. SNS determines their names from the name of the
 * topic. If that is stated, the groups may exist already: they are retained when a deployment fails or a stack is
 * deleted, and SNS creates a missing one itself. CloudFormation would then fail to create them, so a function does. If
 * CloudFormation generates the name of the topic, the names of the groups are new, and it creates them.
 */
export function addStatusLogGroups(scope: Construct, props: StatusLogGroupsProps): StatusLogGroups {
  const { topicName: name } = props.topic;
  const names = statusLogGroups({ region: Aws.REGION, account: Aws.ACCOUNT_ID, name });
  if (hasStatedName(props.topic)) return takenOver(scope, names, props);
  const { retention, encryptionKey, removalPolicy } = withDefaults(props);
  const create = (id: string, logGroupName: string) =>
    new LogGroup(scope, id, { logGroupName, retention, encryptionKey, removalPolicy });
  return { success: create('Successes', names.success), failure: create('Failures', names.failure) };
}

/** Whether the name of a topic outlasts its stack. An imported topic has its name already. */
function hasStatedName({ stack, node: { defaultChild } }: ITopic): boolean {
  return !(defaultChild instanceof CfnTopic) || stack.resolve(defaultChild.topicName) !== undefined;
}

function withDefaults({ retention, encryptionKey, removalPolicy }: StatusLogGroupsProps) {
  return {
    retention: retention ?? RetentionDays.THREE_MONTHS,
    encryptionKey,
    removalPolicy: removalPolicy ?? RemovalPolicy.RETAIN,
  };
}

/** The names come from the custom resource, so that whatever refers to a log group is created after it. */
function takenOver(scope: Construct, names: Names, props: StatusLogGroupsProps): StatusLogGroups {
  const { retention, encryptionKey, removalPolicy } = withDefaults(props);
  const provider = TopicSettingsFunction.of(scope);
  const deletes = removalPolicy === RemovalPolicy.DESTROY;
  provider.allowLogGroups();
  const access = deletes ? [letDelete(scope, props.topic, provider, names)] : [];
  const keptForEver = retention === RetentionDays.INFINITE;
  const resource = new CustomResource(scope, 'LogGroups', {
    serviceToken: provider.serviceToken,
    serviceTimeout: SERVICE_TIMEOUT,
    resourceType: 'Custom::DeliveryStatusLogGroups',
    properties: {
      SuccessLogGroup: names.success,
      FailureLogGroup: names.failure,
      RetentionInDays: keptForEver ? '' : retention,
      KmsKeyId: encryptionKey?.keyArn ?? '',
      OnDelete: deletes ? 'Delete' : 'Keep',
    },
  });
  resource.node.addDependency(provider, ...access);
  nameByTopic(resource, props.topic, 'DeliveryStatusLogGroups');
  const named = (id: string, attribute: string) =>
    LogGroup.fromLogGroupName(scope, id, resource.getAttString(attribute));
  const [success, failure] = [named('Successes', 'SuccessLogGroup'), named('Failures', 'FailureLogGroup')];
  acknowledgeStreams(
    scope,
    [success, failure].map(it => it.logGroupArn),
  );
  return { success, failure };
}

/**
 * A policy for each topic, not a statement in the role: CloudFormation updates resources before it deletes others. So
 * the permission still exists when the resource of a topic is deleted.
 */
function letDelete(scope: Construct, topic: ITopic, { role }: TopicSettingsFunction, names: Names): Policy {
  const arnOf = (resourceName: string) =>
    Stack.of(scope).formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  const resources = [names.success, names.failure].map(name => arnOf(`${name}:*`));
  acknowledgeStreams(scope, resources);
  const statements = [new PolicyStatement({ actions: ['logs:DeleteLogGroup'], resources })];
  const policy = new Policy(scope, 'LogGroupsAccess', { statements, roles: [role] });
  nameByTopic(policy, topic, 'DeliveryStatusLogGroups', 'Access');
  return policy;
}

/** Tells cdk-nag that an ARN ending in `:*` is one log group with its streams. */
function acknowledgeStreams(scope: Construct, arns: readonly string[]): void {
  acknowledgePatterns(scope, arns, 'It is one log group with its streams, which CloudWatch Logs names.');
}
