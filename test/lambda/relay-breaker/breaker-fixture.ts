import {
  GetEventSourceMappingCommand,
  InvokeCommand,
  LambdaClient,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { Duration, type Stack } from 'aws-cdk-lib';
import { DurableTopic, HttpRelay, type HttpRelayOptions, OpsTopic, RelayEndpoint } from '../../../lib';
import type { OutsideEndpoint } from '../../../local';
import { withOptions } from '../../support/assembly';
import { breakerPayload, STACK_BREAKER } from '../../support/breakers';
import { Deployed } from '../../support/deployed';

const HOST = 'partner.example.com';

/** Three retries, a minute apart: short, so that a message is soon due again after a failed probe. */
const RETRY_POLICY = { numRetries: 3, minDelayTarget: Duration.minutes(1), maxDelayTarget: Duration.minutes(1) };

/** The log record of a run of the breaker. */
export interface Decision {
  readonly did: string;
  readonly reason: string;
  readonly from: string;
  readonly to: string;
  readonly left?: string;
}

function fill(stack: Stack, options: HttpRelayOptions): void {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const endpoint = RelayEndpoint.fromUrl(`https://${HOST}/orders`);
  const relay = new HttpRelay(stack, 'Relay', {
    endpoint,
    retryPolicy: RETRY_POLICY,
    jitterPercent: 0,
    alarmActions,
    ...options,
  });
  new DurableTopic(stack, 'Orders', { alarmActions, logDeliveryStatus: false }).deliverToRelay('Partner', relay);
}

const stackOf = withOptions(fill);

/** A relay and its breaker with the released bundles, in the embedded AWS. */
export class DeployedBreaker {
  private readonly lambda: LambdaClient;

  private constructor(readonly deployed: Deployed) {
    this.lambda = new LambdaClient(deployed.aws.clientConfig());
  }

  static async deploy(options: HttpRelayOptions = {}): Promise<DeployedBreaker> {
    return new DeployedBreaker(await Deployed.stack(stackOf(options)));
  }

  /** Deploys a relay that its breaker has just stopped, with these messages in its queue. */
  static async open(messages: readonly string[], options: HttpRelayOptions = {}): Promise<DeployedBreaker> {
    const breaker = await DeployedBreaker.deploy(options);
    await breaker.change(false, 2);
    await breaker.deployed.advance({ minutes: 1 });
    for (const message of messages) await breaker.publish(message);
    return breaker;
  }

  get host(): OutsideEndpoint {
    return this.deployed.aws.endpoint(HOST);
  }

  publish(message: string): Promise<string> {
    return this.deployed.publish('Orders', message);
  }

  /** Changes the mapping like an operator or the breaker. */
  async change(Enabled: boolean, MaximumConcurrency: number): Promise<void> {
    const ScalingConfig = { MaximumConcurrency };
    await this.lambda.send(new UpdateEventSourceMappingCommand({ UUID: this.mappingId, Enabled, ScalingConfig }));
  }

  /** The state and concurrency of the mapping, such as `Disabled 2`. */
  async mapping(): Promise<string> {
    const { State, ScalingConfig } = await this.lambda.send(new GetEventSourceMappingCommand({ UUID: this.mappingId }));
    return `${State} ${ScalingConfig?.MaximumConcurrency}`;
  }

  /** Invokes the breaker once, in addition to its ticks. */
  async look(): Promise<void> {
    const FunctionName = this.deployed.ref(`${STACK_BREAKER}/Function`);
    const Payload = await breakerPayload(this.deployed);
    await this.lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  }

  /** Advances time until the breaker has done this, for at most half an hour. Returns the first such decision. */
  async until(did: string): Promise<Decision> {
    for (let minute = 0; minute < 30; minute += 1) {
      const decision = this.decisions.find(it => it.did === did);
      if (decision) return decision;
      await this.deployed.advance({ minutes: 1 });
    }
    throw new Error(`within half an hour the breaker did nothing of the kind, but ${JSON.stringify(this.decisions)}`);
  }

  get decisions(): readonly Decision[] {
    return this.breakerLog
      .filter(text => text.includes('"message":"breaker"'))
      .map((text): Decision => JSON.parse(text));
  }

  get breakerLog(): readonly string[] {
    return this.deployed.log(this.deployed.ref(`${STACK_BREAKER}/Log`));
  }

  /** The numbers of due and of hidden messages in the relay's queue. */
  get queued(): readonly [number, number] {
    const queue = this.deployed.aws.state().queues.find(({ name }) => name === this.deployed.name('Relay/Queue'));
    if (!queue) throw new Error('the relay has no queue');
    return [queue.visible + queue.delayed, queue.inFlight];
  }

  private get mappingId(): string {
    const [mapping] = this.deployed.aws.services.lambda.mappings.all();
    if (!mapping) throw new Error('the relay has no mapping');
    return mapping.uuid;
  }
}
