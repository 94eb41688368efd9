/** The permissions to find what sends messages to queues, and what reads them, without the queues themselves. */
const SENDER_READS = [
  'sns:ListSubscriptions',
  'sns:GetSubscriptionAttributes',
  'lambda:ListFunctions',
  'lambda:ListFunctionEventInvokeConfigs',
  'lambda:ListEventSourceMappings',
  'events:ListEventBuses',
  'events:ListRules',
  'events:ListTargetsByRule',
  'scheduler:ListSchedules',
  'scheduler:GetSchedule',
] as const;

/** The permissions that `readPartialInventory` needs. */
export const FEEDER_READS = ['sqs:ListDeadLetterSourceQueues', 'sqs:GetQueueAttributes', ...SENDER_READS] as const;

/** The permissions that `readInventory` needs for a list of dead-letter queues. */
export const LIST_READS = [
  'sqs:ListQueues',
  'sqs:GetQueueAttributes',
  ...SENDER_READS,
  'events:DescribeEventBus',
  'sns:ListTopics',
  'sns:GetTopicAttributes',
  'cloudwatch:DescribeAlarms',
] as const;

/** The permissions that `readInventory` needs for checks. */
export const INVENTORY_READS = [...LIST_READS, 'lambda:GetPolicy'] as const;

/** The permissions that `readInventory` needs for causes: all. */
export const CAUSE_READS = [...INVENTORY_READS, 'lambda:GetFunctionConcurrency'] as const;

/** Permissions that `readInventory` can do without. Then keys, roles, pipes and Firehose streams are not checked. */
export const OPTIONAL_INVENTORY_READS = [
  'kms:DescribeKey',
  'kms:GetKeyPolicy',
  'iam:GetRole',
  'iam:ListRolePolicies',
  'iam:GetRolePolicy',
  'iam:ListAttachedRolePolicies',
  'iam:GetPolicy',
  'iam:GetPolicyVersion',
  'pipes:ListPipes',
  'pipes:DescribePipe',
  'firehose:DescribeDeliveryStream',
] as const;

/** These permissions, as a command's help shows them. */
export const TO_JUDGE_KEYS_AND_ROLES = {
  when: 'to check keys, roles, pipes and Firehose streams as well',
  actions: OPTIONAL_INVENTORY_READS,
} as const;

export const STACK_READS = ['cloudformation:ListStackResources'] as const;

/** The permissions that `queueNamed` needs. When it may also list queues, its error suggests similar names. */
export const QUEUE_NAMED_READS = ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'] as const;
