import {
  LambdaClient,
  ResourceConflictException,
  ResourceInUseException,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import type { Connection } from '../../account/connection/connection';
import { dloCommand, type Site } from '../../account/connection/printed-commands';
import { wrap } from '../wording';
import type { Relay } from './relay';
import type { SwitchChange, SwitchPlan } from './switch-plan';
import { destinationText, stateText } from './wording';

const WIDTH = 100;

/**
 * Changes the mapping as planned. It takes the permission `lambda:UpdateEventSourceMapping`.
 * @throws Error when Lambda is still at another change of it
 */
export async function carryOut(aws: Connection, relay: Relay, plan: SwitchPlan): Promise<void> {
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
    const text = `Lambda is still at another change of the mapping of ${relay.name}: run this again in a minute`;
    throw new Error(text, { cause: error });
  }
}

function changeText({ enabled, maximumConcurrency }: SwitchChange): string {
  const switched = enabled ? 'enabled' : 'disabled';
  return maximumConcurrency === undefined ? switched : `${switched}, with a concurrency of ${maximumConcurrency}`;
}

/** What is planned, or has been done. */
export function switchText(relay: Relay, plan: SwitchPlan, isDone: boolean, site: Site): string {
  const { action, mapping, change, notes } = plan;
  if (!change) {
    return `Nothing to do: ${relay.name} ${action === 'stop' ? 'is stopped by hand' : 'is running'} already.\n`;
  }
  const name = action === 'stop' ? 'Stop' : 'Start';
  const end = isDone
    ? `Done. Lambda takes up to a minute to have it so.`
    : `Nothing has been changed: ${dloCommand(['relay', action, relay.name, '--execute'], site)} does it.`;
  const lines = [
    `${name} ${relay.name}, which delivers to ${destinationText(relay)}.`,
    `  Breaker now  ${stateText(relay)}`,
    `  Mapping      ${mapping.id} becomes ${changeText(change)}`,
    ...notes.flatMap(note => wrap(`* ${note}`, WIDTH)),
    end,
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as `--json` prints it. */
export function switchDocument({ name }: Relay, { action, mapping, from, to, change }: SwitchPlan, isDone: boolean) {
  const { enabled, maximumConcurrency } = change ?? {};
  return {
    relay: name,
    action,
    from,
    to,
    mappingId: mapping.id,
    change: change ? { enabled, maximumConcurrency: maximumConcurrency ?? null } : null,
    executed: isDone && change !== undefined,
  };
}
