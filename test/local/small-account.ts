import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import { DynamoDb } from '../../local/dynamodb';
import { clientConfig } from '../../local/facade/client';
import { Iam, IamApi } from '../../local/iam';
import type { PolicyDocument, SessionCredentials } from '../../local/kernel/access';
import { type Caller, roleCaller } from '../../local/kernel/caller';
import { Faults } from '../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../local/kernel/place';
import { Random } from '../../local/kernel/random';
import type { Measurement } from '../../local/kernel/telemetry';
import { Timeline } from '../../local/kernel/timeline';
import { Trace } from '../../local/kernel/trace';
import { Kms } from '../../local/kms';
import { Streams } from '../../local/lambda/event-source/stream/streams';
import { InMemoryNetwork } from '../../local/network/network';
import { SecretsManager } from '../../local/secrets-manager';
import { Ssm } from '../../local/ssm';
import { Sts } from '../../local/sts';
import type { AwsTraceEvent } from '../../local/trace-events';
import {
  awsHost,
  DYNAMODB_MODEL,
  IAM_MODEL,
  KMS_MODEL,
  SECRETS_MANAGER_MODEL,
  type ServiceModel,
  SSM_MODEL,
  STS_MODEL,
  type WireService,
} from '../../local/wire';
import { ACCOUNT, policy, ROOT, type StatementJson } from './iam/iam-fixture';

export const START_MS = Date.UTC(2026, 0, 1);

/** A role that everybody of the account may assume, as far as their own policies let them. */
const TRUSTS_ACCOUNT: PolicyDocument = policy({
  Effect: 'Allow',
  Principal: { AWS: ROOT },
  Action: 'sts:AssumeRole',
});

/** An account of the services that need no other: roles, keys, parameters and secrets, with clients as anybody has them. */
export class SmallAccount {
  readonly timeline = new Timeline(START_MS);
  readonly trace = new Trace<AwsTraceEvent>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly network = new InMemoryNetwork(() => ({ kind: 'no-answer', code: 'ENOTFOUND' }));
  private readonly random = new Random('small account');
  private readonly base = { place: EXAMPLE_PLACE, timeline: this.timeline, trace: this.trace };
  readonly iam = new Iam({ ...this.base, random: this.random.stream('iam') });
  private readonly guarded = { ...this.base, faults: this.faults, access: this.iam };
  readonly kms = new Kms({ ...this.guarded, random: this.random.stream('kms') });
  private readonly keyed = { ...this.guarded, keys: this.kms };
  readonly secrets = new SecretsManager({ ...this.keyed, random: this.random.stream('secrets') });
  readonly ssm = new Ssm({ ...this.keyed, random: this.random.stream('ssm') }, this.secrets);
  readonly metrics: Measurement[] = [];
  /** The records of streams. */
  readonly streams = new Streams(this.timeline, () => undefined);
  readonly dynamoDb = new DynamoDb(
    {
      ...this.keyed,
      random: this.random.stream('dynamodb'),
      metrics: { put: measurement => this.metrics.push(measurement) },
    },
    { streams: this.streams },
  );
  readonly sts = new Sts(this.guarded, this.iam);
  readonly clients = this.clientsWith(undefined);

  constructor() {
    const services: readonly (readonly [ServiceModel, WireService])[] = [
      [DYNAMODB_MODEL, this.dynamoDb],
      [IAM_MODEL, new IamApi(this.guarded, this.iam)],
      [KMS_MODEL, this.kms],
      [SSM_MODEL, this.ssm],
      [SECRETS_MANAGER_MODEL, this.secrets],
      [STS_MODEL, this.sts],
    ];
    for (const [model, service] of services) this.attach(model, service);
  }

  attach(model: ServiceModel, service: WireService): void {
    const { trace, timeline } = this;
    const random = this.random.stream(model.name);
    const host = awsHost({ model, service, credentials: this.iam.credentials, random, trace, timeline });
    this.network.attach(`${model.name}.us-east-1.amazonaws.com`, host);
    if (model === DYNAMODB_MODEL) this.network.attach(`${ACCOUNT}.ddb.us-east-1.amazonaws.com`, host);
    if (model.isGlobal) this.network.attach(`${model.name}.amazonaws.com`, host);
  }

  /** A client of each service. @param keys @default an administrator's */
  clientsWith(keys: SessionCredentials | undefined) {
    const plain = { ...clientConfig(this.network, EXAMPLE_PLACE), maxAttempts: 1 };
    const config = keys ? { ...plain, credentials: keys } : plain;
    return {
      cloudFormation: new CloudFormationClient(config),
      dynamoDb: new DynamoDBClient(config),
      iam: new IAMClient(config),
      kms: new KMSClient(config),
      secrets: new SecretsManagerClient(config),
      ssm: new SSMClient(config),
      sts: new STSClient(config),
    };
  }

  /** A role of the account's with these statements, and clients that act with it. */
  role(name: string, ...statements: readonly StatementJson[]) {
    const { arn } = this.iam.createRole({ roleName: name, trustPolicy: TRUSTS_ACCOUNT });
    if (statements.length > 0) this.iam.putRolePolicy(name, 'Inline', policy(...statements));
    const caller: Caller = roleCaller(arn);
    return { arn, caller, clients: this.clientsWith(this.iam.credentials.issue(arn)) };
  }

  /** A key whose policy has these statements, beside one that leaves the rest to the account. */
  key(...statements: readonly StatementJson[]): string {
    const delegates = { Effect: 'Allow', Principal: { AWS: ROOT }, Action: 'kms:*', Resource: '*' };
    return this.kms.createKey({ policy: policy(delegates, ...statements) }).arn;
  }

  happened(type: AwsTraceEvent['type']): readonly AwsTraceEvent[] {
    return this.trace.events.filter(it => it.type === type);
  }
}

export function arnOf(service: string, resource: string): string {
  return `arn:aws:${service}:us-east-1:${ACCOUNT}:${resource}`;
}

/** What a client is answered: the name and text of the error, and its status. */
export async function refusal(
  answer: Promise<unknown>,
): Promise<readonly [name: string, text: string, status?: number]> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { $metadata }: { readonly $metadata?: { readonly httpStatusCode?: number } } = error as never;
    const status = $metadata?.httpStatusCode;
    return status === undefined ? [error.name, error.message] : [error.name, error.message, status];
  }
  throw new Error('it was answered');
}
