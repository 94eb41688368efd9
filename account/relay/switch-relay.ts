import {
  LambdaClient,
  ResourceConflictException,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { formatDuration } from '../../policy/format-text';
import { LEAST_BREAKER_CONCURRENCY } from '../../policy/relay/breaker';
import type { Connection } from '../connection/connection';
import { configuredConcurrency, type Relay, type RelayMapping, type RelayState, relayState } from './find-relays';

export type RelaySwitch = 'stop' | 'start';

/** How the mapping is changed. */
export interface SwitchChange {
  readonly enabled: boolean;
  /** Undefined leaves it unchanged. */
  readonly maximumConcurrency: number | undefined;
}

/** What stopping or starting a relay would change. */
export interface RelaySwitchPlan {
  readonly action: RelaySwitch;
  readonly mapping: RelayMapping;
  readonly from: RelayState;
  readonly to: RelayState;
  /** Undefined when there is nothing to change. */
  readonly change: SwitchChange | undefined;
  /** What the operator should know before. */
  readonly notes: readonly string[];
}

/** The states in which there is nothing to change. */
const DONE: Readonly<Record<RelaySwitch, readonly RelayState[]>> = {
  stop: ['stopped-by-hand'],
  start: ['closed', 'running'],
};

function retentionText({ settings }: Relay): string {
  const { retentionSeconds } = settings ?? {};
  return retentionSeconds === undefined ? '' : `, which keeps each message for ${formatDuration(retentionSeconds)}`;
}

function notesOf(relay: Relay, action: RelaySwitch, from: RelayState): string[] {
  if (action === 'stop') {
    return [
      `Messages wait in its queue${retentionText(relay)}. Waiting uses up no delivery attempt.`,
      ...(relay.breaker ? ['Its breaker does not start it: an operator has to.'] : []),
    ];
  }
  if (from === 'open')
    return ['Its breaker opened because the endpoint failed. It opens again if the endpoint still fails.'];
  if (from === 'half-open') return ['Its breaker is starting it already, step by step.'];
  return [];
}

/**
 * Plans to stop or start a relay. Both set the full concurrency. A breaker would take a disabled mapping with less concurrency for
 * one it has stopped itself, and start it again.
 */
export function switchPlan(relay: Relay, action: RelaySwitch): RelaySwitchPlan {
  const { mapping, breaker } = relay;
  if (!mapping && relay.isMappingUnknown)
    throw new Error(`the event source mapping of ${relay.name} could not be read`);
  if (!mapping)
    throw new Error(`${relay.name} has no event source mapping: npx cdk deploy --revert-drift creates it again`);
  const from = relayState(relay);
  const whole = configuredConcurrency(relay);
  const isStart = action === 'start';
  const running = breaker && breaker.configuredConcurrency >= LEAST_BREAKER_CONCURRENCY ? 'closed' : 'running';
  const to = isStart ? running : 'stopped-by-hand';
  const isWhole = mapping.maximumConcurrency === whole;
  if (DONE[action].includes(from) && (isWhole || !isStart)) {
    return { action, mapping, from, to: from, change: undefined, notes: [] };
  }
  const change = { enabled: isStart, maximumConcurrency: isWhole ? undefined : whole };
  return { action, mapping, from, to, change, notes: notesOf(relay, action, from) };
}

/** Changes the mapping as planned. It needs the permission `lambda:UpdateEventSourceMapping`. */
export async function executeRelaySwitch(aws: Connection, relay: Relay, plan: RelaySwitchPlan): Promise<void> {
  if (!plan.change) return;
  const { enabled, maximumConcurrency } = plan.change;
  const command = new UpdateEventSourceMappingCommand({
    UUID: plan.mapping.id,
    Enabled: enabled,
    ...(maximumConcurrency !== undefined && { ScalingConfig: { MaximumConcurrency: maximumConcurrency } }),
  });
  try {
    await aws.client(LambdaClient).send(command);
  } catch (error) {
    const isBusy = error instanceof ResourceInUseException || error instanceof ResourceConflictException;
    if (!isBusy) throw error;
    const text = `Lambda still applies another change of the mapping of ${relay.name}: run this again in a minute`;
    throw new Error(text, { cause: error });
  }
}
