/** Beside telling who asks, which takes none, what it takes to find who brings letters to queues, and who reads them. */
export const FEEDER_READS = [
  'sns:ListSubscriptions',
  'sns:GetSubscriptionAttributes',
  'sqs:ListQueues',
  'sqs:GetQueueAttributes',
  'lambda:ListFunctions',
  'lambda:ListFunctionEventInvokeConfigs',
  'lambda:ListEventSourceMappings',
  'events:ListEventBuses',
  'events:ListRules',
  'events:ListTargetsByRule',
  'scheduler:ListSchedules',
  'scheduler:GetSchedule',
] as const;

/** What `readInventory` needs in order to leave nothing out. */
export const INVENTORY_READS = [
  ...FEEDER_READS,
  'events:DescribeEventBus',
  'sns:ListTopics',
  'sns:GetTopicAttributes',
  'lambda:GetPolicy',
  'lambda:GetFunctionConcurrency',
  'cloudwatch:DescribeAlarms',
] as const;

/** What `readInventory` goes without where it may not: keys and roles then are untold, and nothing is said of them. */
export const DISPENSABLE_INVENTORY_READS = [
  'kms:DescribeKey',
  'kms:GetKeyPolicy',
  'iam:ListRolePolicies',
  'iam:GetRolePolicy',
  'iam:ListAttachedRolePolicies',
  'iam:GetPolicy',
  'iam:GetPolicyVersion',
] as const;

/** The same, as helps say it. */
export const TO_JUDGE_KEYS_AND_ROLES = {
  when: 'where keys and roles are to be judged too',
  actions: DISPENSABLE_INVENTORY_READS,
} as const;

/** What it takes to tell which resources are a stack's. */
export const STACK_READS = ['cloudformation:ListStackResources'] as const;

/** What `queueNamed` needs. To say which names are near one that is not there it also lists queues, where it may. */
export const QUEUE_NAMED_READS = ['sqs:GetQueueUrl', 'sqs:GetQueueAttributes'] as const;
