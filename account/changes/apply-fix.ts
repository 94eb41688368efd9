import { CloudWatchClient, EnableAlarmActionsCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { CreateRoleCommand, DeleteRolePolicyCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CancelKeyDeletionCommand, EnableKeyCommand, KMSClient, PutKeyPolicyCommand } from '@aws-sdk/client-kms';
import {
  AddPermissionCommand,
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import {
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
  UnsubscribeCommand,
} from '@aws-sdk/client-sns';
import { CreateQueueCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AwsCall, isCallable } from '../../diagnosis/fixes/fix';
import { counted } from '../../policy/format-text';
import type { Connection } from '../connection/connection';
import { messageOf } from '../errors';

/** A service, and those of its calls that fixes consist of. */
interface Service {
  readonly client: Parameters<Connection['client']>[0];
  readonly commands: Readonly<Record<string, unknown>>;
}

const SERVICES: Readonly<Partial<Record<string, Service>>> = {
  cloudwatch: {
    client: CloudWatchClient,
    commands: { EnableAlarmActions: EnableAlarmActionsCommand, PutMetricAlarm: PutMetricAlarmCommand },
  },
  iam: {
    client: IAMClient,
    commands: {
      CreateRole: CreateRoleCommand,
      DeleteRolePolicy: DeleteRolePolicyCommand,
      PutRolePolicy: PutRolePolicyCommand,
    },
  },
  kms: {
    client: KMSClient,
    commands: {
      CancelKeyDeletion: CancelKeyDeletionCommand,
      EnableKey: EnableKeyCommand,
      PutKeyPolicy: PutKeyPolicyCommand,
    },
  },
  lambda: {
    client: LambdaClient,
    commands: {
      AddPermission: AddPermissionCommand,
      DeleteFunctionConcurrency: DeleteFunctionConcurrencyCommand,
      UpdateEventSourceMapping: UpdateEventSourceMappingCommand,
      UpdateFunctionConfiguration: UpdateFunctionConfigurationCommand,
    },
  },
  sns: {
    client: SNSClient,
    commands: {
      SetSubscriptionAttributes: SetSubscriptionAttributesCommand,
      SetTopicAttributes: SetTopicAttributesCommand,
      Subscribe: SubscribeCommand,
      Unsubscribe: UnsubscribeCommand,
    },
  },
  sqs: {
    client: SQSClient,
    commands: { CreateQueue: CreateQueueCommand, SetQueueAttributes: SetQueueAttributesCommand },
  },
};

type Command = new (input: AwsCall['input']) => never;

function commandOf({ service, operation }: AwsCall): Command | undefined {
  const { commands = {} } = SERVICES[service] ?? {};
  return Object.hasOwn(commands, operation) ? (commands[operation] as Command) : undefined;
}

/** Whether `applyCalls` can make these calls. */
export function areApplicable(calls: readonly AwsCall[]): boolean {
  return calls.length > 0 && calls.every(call => isCallable(call) && commandOf(call) !== undefined);
}

export async function applyCalls(aws: Connection, calls: readonly AwsCall[]): Promise<void> {
  for (const [made, call] of calls.entries()) {
    const service = SERVICES[call.service];
    const Command = commandOf(call);
    if (!service || !Command) throw new Error(`the fix has a call that must be made by hand: ${call.operation}`);
    try {
      const client: { send(command: never): Promise<unknown> } = aws.client(service.client as typeof SQSClient);
      await client.send(new Command(call.input));
    } catch (error) {
      if (made === 0) throw error;
      throw new Error(`${messageOf(error)} (${counted(made, 'call was', 'calls were')} made before)`, { cause: error });
    }
  }
}
