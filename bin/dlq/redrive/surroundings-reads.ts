/** What `readSurroundings` needs, beside telling who asks. */
export const SURROUNDINGS_READS = [
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
