import { booleanValue } from '../../../policy/json-members';
import {
  ENDPOINT_MOODS,
  FAULT_KINDS,
  FAULT_SERVICES,
  type SimulationCalls,
  type SimulationDocument,
} from '../../api/simulation';
import { type CallHandlers, checked, number, oneOf, optional, orNull, text, texts } from '../calls';
import type { ConsoleContext } from '../context';
import { type FeedSource, polled } from '../feed';
import { SimulationControls } from './simulation';

const FEED_MS = 500;

const RECEIVERS = ['topic', 'queue'] as const;

const none = (): Record<string, never> => ({});

/** The controls of the simulation, made when the page first needs them. */
export function lazyControls(context: ConsoleContext): () => SimulationControls {
  let made: SimulationControls | undefined;
  return () => {
    made ??= new SimulationControls(context);
    return made;
  };
}

export function simulationFeed(
  controls: () => SimulationControls,
  nowMs: () => number,
): FeedSource<SimulationDocument> {
  return polled(async () => controls().document(), { nextMs: tookMs => Math.max(FEED_MS, tookMs) }, nowMs);
}

function withEmpty(work: Promise<void>): Promise<Record<string, never>> {
  return work.then(none);
}

export function simulationCalls(controls: () => SimulationControls): Pick<CallHandlers, keyof SimulationCalls> {
  return {
    'simulation/speed': {
      changes: true,
      read: checked<'simulation/speed'>({
        speed: (value, property) => (value === 'max' ? [] : number(value, property)),
      }),
      run: ({ speed }) => withEmpty(controls().setSpeed(speed)),
    },
    'simulation/step': { changes: true, read: none, run: () => controls().step() },
    'simulation/jump': {
      changes: true,
      read: checked<'simulation/jump'>({ seconds: optional(number), until: optional(text) }),
      run: to => controls().jump(to),
    },
    'simulation/travel': {
      changes: true,
      read: checked<'simulation/travel'>({ atMs: number }),
      run: ({ atMs }) => withEmpty(controls().travel(atMs)),
    },
    'simulation/endpoint': {
      changes: true,
      read: checked<'simulation/endpoint'>({ host: text, mood: oneOf(ENDPOINT_MOODS) }),
      run: ({ host, mood }) => withEmpty(controls().setEndpoint(host, mood)),
    },
    'simulation/confirm': {
      changes: true,
      read: checked<'simulation/confirm'>({ endpoint: text }),
      run: ({ endpoint }) => withEmpty(controls().confirm(endpoint)),
    },
    'simulation/fault': {
      changes: true,
      read: checked<'simulation/fault'>({
        service: oneOf(FAULT_SERVICES),
        kind: oneOf(FAULT_KINDS),
        action: optional(text),
        forSeconds: optional(number),
      }),
      run: fault => withEmpty(controls().setFault(fault)),
    },
    'simulation/end-faults': { changes: true, read: none, run: () => withEmpty(controls().endFaults()) },
    'simulation/permission': {
      changes: true,
      read: checked<'simulation/permission'>({ id: text, isTaken: booleanValue }),
      run: ({ id, isTaken }) => withEmpty(controls().setPermission(id, isTaken)),
    },
    'simulation/send': {
      changes: true,
      read: checked<'simulation/send'>({
        to: oneOf(RECEIVERS),
        name: text,
        message: text,
        count: number,
        everySeconds: number,
        attributes: optional(texts),
        groupId: optional(text),
      }),
      run: input => controls().send(input),
    },
    'simulation/snapshot': { changes: true, read: none, run: () => controls().snapshot() },
    'simulation/restore': {
      changes: true,
      read: checked<'simulation/restore'>({ name: orNull(text) }),
      run: ({ name }) => withEmpty(controls().restore(name)),
    },
  };
}
