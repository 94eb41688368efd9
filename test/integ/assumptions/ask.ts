import { messageOf } from '../../../account/errors';
import { OTHER_PROBES } from './other-probes';
import { type Probe, type ProbedAws, Probing } from './probe';
import { QUEUE_PROBES } from './queue-probes';
import { TASK_PROBES } from './task-probes';
import { TOPIC_PROBES } from './topic-probes';

export const PROBES: readonly Probe[] = [...TOPIC_PROBES, ...QUEUE_PROBES, ...TASK_PROBES, ...OTHER_PROBES];

/** What a probe found. */
export interface Finding {
  readonly id: string;
  readonly question: string;
  readonly assumed: string;
  /** What AWS did. @default - the probe failed */
  readonly did?: string;
  /** Whether AWS did what is assumed. @default - the probe failed */
  readonly holds?: boolean;
  /** Why the probe failed. @default - the probe succeeded */
  readonly failure?: string;
  /** What the probe created outside the stack and could not delete. @default - nothing */
  readonly left?: string;
}

async function find(probe: Probe, aws: ProbedAws): Promise<Finding> {
  const { id, question, assumed } = probe;
  const probing = new Probing(id, aws);
  const answer = await answerOf(probe, probing);
  try {
    await probing.undo();
  } catch (error) {
    return { id, question, assumed, ...answer, left: messageOf(error) };
  }
  return { id, question, assumed, ...answer };
}

async function answerOf(
  { assumed, ask }: Probe,
  probing: Probing,
): Promise<Pick<Finding, 'did' | 'holds' | 'failure'>> {
  try {
    const did = await ask(probing);
    return { did, holds: did === assumed };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

/**
 * Asks all questions. A probe that fails does not stop the others.
 * @param together whether to ask all at once: on AWS most of the time is waiting
 */
export async function askAll(
  probes: readonly Probe[],
  aws: ProbedAws,
  { together }: { readonly together: boolean },
): Promise<readonly Finding[]> {
  if (together) return Promise.all(probes.map(probe => find(probe, aws)));
  const findings: Finding[] = [];
  for (const probe of probes) {
    findings.push(await find(probe, aws));
  }
  return findings;
}
