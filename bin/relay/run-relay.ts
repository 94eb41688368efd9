import type { ConnectionOptions } from '../../account/connection/connection';
import { connected } from '../../account/connection/connection';
import { oneNamed } from '../../account/names';
import { findRelays } from '../../account/relay/find-relays';
import { activityOf, relayFacts } from '../../account/relay/relay-state';
import { carryOut, type RelaySwitch, switchPlan } from '../../account/relay/switch-relay';
import type { Io } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { paintFor } from '../shared/terminal-text';
import { relayDocument, showDocument, showText } from './relay-report';
import { listText, switchDocument, switchText } from './relay-text';

/** `dlo relay ls`. */
export async function listRelays(options: RelayOptions, io: Io): Promise<void> {
  await connected(options, async aws => {
    const { relays, warnings } = await findRelays(aws);
    const facts = await relayFacts(aws, relays);
    warn(io, warnings);
    if (options.json) writeJson(io, { region: aws.region, relays: facts.map(relayDocument) });
    else io.stdout.write(listText(facts, aws.region, paintFor(io.stdout.isTTY)));
  });
}

/**
 * `dlo relay show`.
 * @throws BadInput when no relay has the name, or more than one
 */
export async function showRelay(name: string, options: RelayOptions, io: Io, nowMs: number): Promise<void> {
  await connected(options, async aws => {
    const { relays, warnings } = await findRelays(aws);
    warn(io, warnings);
    const relay = oneNamed(name, relays, 'relay', aws.region);
    const [[facts], activity] = await Promise.all([relayFacts(aws, [relay]), activityOf(aws, relay, nowMs)]);
    if (!facts) return;
    const site = { options, region: aws.region };
    if (options.json) writeJson(io, showDocument(facts, activity, site, nowMs));
    else io.stdout.write(showText(facts, activity, site, nowMs));
  });
}

export interface SwitchOptions extends RelayOptions {
  readonly action: RelaySwitch;
  readonly execute?: boolean;
}

/**
 * `dlo relay stop` and `dlo relay start`.
 * @throws BadInput when no relay has the name, or more than one
 */
export async function switchRelay(name: string, options: SwitchOptions, io: Io): Promise<void> {
  const { action, execute = false, json } = options;
  await connected(options, async aws => {
    const { relays, warnings } = await findRelays(aws);
    warn(io, warnings);
    const relay = oneNamed(name, relays, 'relay', aws.region);
    const plan = switchPlan(relay, action);
    if (execute) await carryOut(aws, relay, plan);
    if (json) writeJson(io, switchDocument(relay, plan, execute));
    else io.stdout.write(switchText(relay, plan, execute, { options, region: aws.region }));
  });
}

export interface RelayOptions extends ConnectionOptions {
  readonly json?: boolean;
}
