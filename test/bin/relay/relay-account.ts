import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import {
  type EventSourceMappingConfiguration,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { Duration, SecretValue, type Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { DurableTopic, HttpRelay, RelayAuthorization, RelayEndpoint } from '../../../lib';
import type { Deployed } from '../../support/deployed';
import { OperatedAccount, openAccount } from '../operated-account';

export const PARTNER = 'partner.example.com';
const BANK = 'bank.example.com';

/** Part of the bank's secret URL. No output may contain it. */
export const SECRET_PATH = 'inbox-5f9a';

/** Adds a relay of a topic with a breaker, and one without a breaker whose endpoint is a secret. */
export function twoRelays(stack: Stack): void {
  const partner = new HttpRelay(stack, 'Partner', {
    endpoint: RelayEndpoint.fromUrl(`https://${PARTNER}/orders?key=s3cret`),
    maximumConcurrency: 10,
    retryPolicy: { numRetries: 100, minDelayTarget: Duration.seconds(20), maxDelayTarget: Duration.seconds(20) },
    jitterPercent: 0,
  });
  new DurableTopic(stack, 'Orders').deliverToQueue('Partner', partner.queue);
  const secret = new Secret(stack, 'Url', {
    secretName: 'bank',
    secretObjectValue: { url: SecretValue.unsafePlainText(`https://${BANK}/${SECRET_PATH}`) },
  });
  new HttpRelay(stack, 'Bank', {
    endpoint: RelayEndpoint.fromSecret(secret, { field: 'url' }),
    circuitBreaker: { enabled: false },
    authorization: RelayAuthorization.oauthClientCredentials({
      tokenUrl: `https://${BANK}/token?key=s3cret`,
      credentialsSecret: new Secret(stack, 'Client'),
    }),
  });
}

/** An account with relays, and an operator. */
export class RelayAccount extends OperatedAccount {
  readonly lambda: LambdaClient;

  private constructor(deployed: Deployed, url: string) {
    super(deployed, url, 'relay');
    this.lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  }

  static async of(fill: (stack: Stack) => void): Promise<RelayAccount> {
    const { deployed, url } = await openAccount(fill);
    return new RelayAccount(deployed, url);
  }

  /** Sets an alarm off. */
  async fire(alarm: string): Promise<void> {
    const AlarmName = this.deployed.ref(alarm);
    const cloudWatch = new CloudWatchClient({ ...this.deployed.aws.clientConfig(), maxAttempts: 1 });
    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'a test' }));
  }

  /** Returns the relay's mapping, as Lambda describes it. */
  async mapping(relay: string): Promise<EventSourceMappingConfiguration> {
    const asked = new ListEventSourceMappingsCommand({ FunctionName: this.name(relay) });
    const { EventSourceMappings: [mapping] = [] } = await this.lambda.send(asked);
    if (!mapping) throw new Error(`${relay} has no mapping`);
    return mapping;
  }

  /** Returns the parts of the mapping that a switch changes. */
  async switched(relay: string) {
    await this.deployed.advance({ minutes: 1 });
    const { State, ScalingConfig } = await this.mapping(relay);
    return { State, MaximumConcurrency: ScalingConfig?.MaximumConcurrency };
  }

  /** Changes the mapping like the breaker or a console user, and waits until Lambda has applied the change. */
  async remap(
    relay: string,
    change: { readonly Enabled: boolean; readonly MaximumConcurrency: number },
  ): Promise<void> {
    const { UUID } = await this.mapping(relay);
    const { Enabled, MaximumConcurrency } = change;
    await this.lambda.send(
      new UpdateEventSourceMappingCommand({ UUID, Enabled, ScalingConfig: { MaximumConcurrency } }),
    );
    await this.deployed.advance({ minutes: 1 });
  }
}
