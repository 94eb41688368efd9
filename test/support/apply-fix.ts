import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as iam from '@aws-sdk/client-iam';
import * as kms from '@aws-sdk/client-kms';
import * as lambda from '@aws-sdk/client-lambda';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import type { AwsCall } from '../../diagnosis/fixes/fix';

/** An SDK client and its commands by name, for callers that only have an `AwsCall`. */
interface Service {
  readonly client: { send(command: never): Promise<unknown>; destroy(): void };
  readonly commands: Readonly<Record<string, unknown>>;
}

type Command = new (input: AwsCall['input']) => never;

function services(endpoint: string): Readonly<Record<string, Service>> {
  const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
  const settings = {
    endpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
    useQueueUrlAsEndpoint: false,
  } as const;
  return {
    cloudwatch: { client: new cloudwatch.CloudWatchClient(settings), commands: { ...cloudwatch } },
    iam: { client: new iam.IAMClient(settings), commands: { ...iam } },
    kms: { client: new kms.KMSClient(settings), commands: { ...kms } },
    lambda: { client: new lambda.LambdaClient(settings), commands: { ...lambda } },
    sns: { client: new sns.SNSClient(settings), commands: { ...sns } },
    sqs: { client: new sqs.SQSClient(settings), commands: { ...sqs } },
  };
}

/** Makes the calls of a fix over the wire, one after the other. */
export async function applyCalls(endpoint: string, calls: readonly AwsCall[]): Promise<void> {
  const known = services(endpoint);
  for (const { service, operation, input } of calls) {
    const { client, commands } = known[service] ?? {};
    const Command = commands?.[`${operation}Command`] as Command | undefined;
    if (!client || !Command) throw new Error(`there is no client for the call ${service}:${operation}`);
    await client.send(new Command(input));
  }
  for (const { client } of Object.values(known)) client.destroy();
}
