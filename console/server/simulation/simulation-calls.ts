import { withoutUndefined } from '../../../policy/json-members';
import {
  ENDPOINT_MOODS,
  FAULT_KINDS,
  FAULT_SERVICES,
  type SimulationCalls,
  type SimulationDocument,
} from '../../api/simulation';
import type { CallHandlers } from '../calls';
import type { ConsoleContext } from '../context';
import { type FeedSource, polled } from '../feed';
import { member } from '../input';
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
      read: input => ({ speed: input['speed'] === 'max' ? 'max' : member.number(input, 'speed') }),
      run: ({ speed }) => withEmpty(controls().setSpeed(speed)),
    },
    'simulation/step': { changes: true, read: none, run: () => controls().step() },
    'simulation/jump': {
      changes: true,
      read: input =>
        withoutUndefined<SimulationCalls['simulation/jump']['input']>({
          seconds: member.optionalNumber(input, 'seconds'),
          until: member.optionalText(input, 'until'),
        }),
      run: to => controls().jump(to),
    },
    'simulation/travel': {
      changes: true,
      read: input => ({ atMs: member.number(input, 'atMs') }),
      run: ({ atMs }) => withEmpty(controls().travel(atMs)),
    },
    'simulation/endpoint': {
      changes: true,
      read: input => ({ host: member.text(input, 'host'), mood: member.oneOf(input, 'mood', ENDPOINT_MOODS) }),
      run: ({ host, mood }) => withEmpty(controls().setEndpoint(host, mood)),
    },
    'simulation/confirm': {
      changes: true,
      read: input => ({ endpoint: member.text(input, 'endpoint') }),
      run: ({ endpoint }) => withEmpty(controls().confirm(endpoint)),
    },
    'simulation/fault': {
      changes: true,
      read: input =>
        withoutUndefined<SimulationCalls['simulation/fault']['input']>({
          service: member.oneOf(input, 'service', FAULT_SERVICES),
          kind: member.oneOf(input, 'kind', FAULT_KINDS),
          action: member.optionalText(input, 'action'),
          forSeconds: member.optionalNumber(input, 'forSeconds'),
        }),
      run: fault => withEmpty(controls().setFault(fault)),
    },
    'simulation/end-faults': { changes: true, read: none, run: () => withEmpty(controls().endFaults()) },
    'simulation/permission': {
      changes: true,
      read: input => ({ id: member.text(input, 'id'), isTaken: member.flag(input, 'isTaken') }),
      run: ({ id, isTaken }) => withEmpty(controls().setPermission(id, isTaken)),
    },
    'simulation/send': {
      changes: true,
      read: input =>
        withoutUndefined<SimulationCalls['simulation/send']['input']>({
          to: member.oneOf(input, 'to', RECEIVERS),
          name: member.text(input, 'name'),
          message: member.text(input, 'message'),
          count: member.number(input, 'count'),
          everySeconds: member.number(input, 'everySeconds'),
          attributes: member.optionalTexts(input, 'attributes'),
          groupId: member.optionalText(input, 'groupId'),
        }),
      run: input => controls().send(input),
    },
    'simulation/snapshot': { changes: true, read: none, run: () => controls().snapshot() },
    'simulation/restore': {
      changes: true,
      read: input => ({ name: input['name'] === null ? null : member.text(input, 'name') }),
      run: ({ name }) => withEmpty(controls().restore(name)),
    },
  };
}
