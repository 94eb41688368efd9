import { findingGroupDocument } from '../../../account/documents/json-documents';
import type { Site } from '../../../account/printed-commands';
import { CONSEQUENCES, SEVERITIES } from '../../../diagnosis/checks/finding';
import { type FindingGroup, groupFindings } from '../../../diagnosis/checks/finding-groups';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { counted } from '../../../policy/format-text';
import { knownValue } from '../../../template/maybe-known';
import type { DoctorDocument, FindingDocument } from '../../api/doctor';
import type { ConsoleContext } from '../context';
import { type FeedSources, polled } from '../feed';
import type { Structure } from '../overview/account-model';

/** The resources that are counted, with their singular and plural. */
const CHECKED = [
  ['topics', 'topic', 'topics'],
  ['subscriptions', 'subscription', 'subscriptions'],
  ['queues', 'queue', 'queues'],
  ['functions', 'function', 'functions'],
  ['targets', 'target', 'targets of rules and schedules'],
  ['alarms', 'alarm', 'alarms'],
] as const;

function checkedIn(inventory: Inventory): readonly string[] {
  const { incomplete = [] } = inventory;
  return CHECKED.map(([kind, one, several]) => {
    const count = counted(inventory[kind].length, one, several);
    return incomplete.includes(kind) ? `at least ${count}` : count;
  });
}

function documentOf(group: FindingGroup, site: Site): FindingDocument {
  const { id, says, fix, section, resources } = findingGroupDocument(group, site);
  return {
    check: id,
    says,
    fix: fix.says,
    statement: fix.statement ? JSON.stringify(fix.statement, null, 2) : null,
    guide: section,
    resources: resources.map(it => ({ name: it.resource, arn: it.arn, others: it.others, commands: it.fix.commands })),
  };
}

/** What the doctor finds, by consequence. @param options for printed commands */
export function doctorDocument(
  { inventory, findings, missing, readAtMs }: Structure,
  { options }: Pick<Site, 'options'>,
): DoctorDocument {
  const region = knownValue(inventory.region);
  const site: Site = { options, ...(region !== undefined && { region }) };
  return {
    readAtMs,
    checked: checkedIn(inventory),
    consequences: SEVERITIES.flatMap(severity => {
      const some = findings.filter(it => it.severity === severity);
      if (some.length === 0) return [];
      const groups = groupFindings(some, [inventory]).map(it => documentOf(it, site));
      return [{ severity, says: CONSEQUENCES[severity], count: some.length, findings: groups }];
    }),
    unknowns: [...new Set([...(inventory.unread ?? []), ...(inventory.unseen ?? [])])],
    missing: missing.length === 0 ? null : JSON.stringify({ Effect: 'Allow', Action: missing, Resource: '*' }, null, 2),
  };
}

/** The feed of the doctor. It costs no requests of its own. */
export function doctorFeeds({ model, source, nowMs }: ConsoleContext): Pick<FeedSources, 'doctor'> {
  const documents = new WeakMap<Structure, DoctorDocument>();
  const read = async (): Promise<DoctorDocument> => {
    const structure = await model.readStructure();
    const document = documents.get(structure) ?? doctorDocument(structure, source);
    documents.set(structure, document);
    return document;
  };
  return { doctor: polled(read, { nextMs: () => model.levelsEveryMs }, nowMs) };
}
