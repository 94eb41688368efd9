import type { Finding } from '../../../diagnosis/checks/finding';
import { isAtLeastAsSevere } from '../../../diagnosis/checks/finding';
import { deadLetterQueues } from '../../../diagnosis/inventory/feeders';
import type { Inventory, SubscriptionFacts, TargetFacts } from '../../../diagnosis/inventory/inventory';
import { functionOf, queueOf, unqualified } from '../../../diagnosis/inventory/look-ups';
import { shortNames } from '../../../diagnosis/inventory/short-names';
import { lastPart, parseArn } from '../../../policy/arn';
import { ownMember } from '../../../policy/json-members';
import { isKnown, knownValue, type MaybeKnown } from '../../../template/maybe-known';
import type { MapDocument, MapEdge, MapGroup, MapMark, MapNode, NodeKind } from '../../api';

const COLUMNS: Readonly<Record<NodeKind, number>> = {
  topic: 0,
  rule: 0,
  schedule: 0,
  stream: 0,
  delivery: 1,
  queue: 2,
  endpoint: 3,
  function: 3,
  'dead-letter-queue': 4,
};

type Draft = Pick<MapNode, 'id' | 'kind' | 'name'> & { readonly marks: MapMark[] };

/** Collects the nodes and edges of an inventory. */
class MapBuilder {
  readonly nodes = new Map<string, Draft>();
  readonly edges = new Map<string, MapEdge>();
  private readonly deadLetterArns: ReadonlySet<string>;

  constructor(private readonly inventory: Inventory) {
    this.deadLetterArns = new Set(deadLetterQueues(inventory).map(({ arn }) => arn));
  }

  build(): this {
    const { topics, subscriptions, targets, queues, mappings, functions } = this.inventory;
    for (const { arn, name } of topics) this.node('topic', arn, name);
    for (const queue of queues) this.queue(queue.arn);
    for (const subscription of subscriptions) this.subscription(subscription);
    for (const target of targets) this.target(target);
    for (const { sourceArn, functionArn, onFailureArn } of mappings) {
      const [source, polling] = [knownValue(sourceArn), knownValue(functionArn)];
      if (source === undefined || polling === undefined) continue;
      this.edge(this.source(source), this.function(polling), 'polls');
      this.deadLetters(source, onFailureArn);
    }
    for (const { arn, redrivePolicy } of queues) this.deadLetters(arn, knownValue(redrivePolicy)?.deadLetterTargetArn);
    for (const { arn, deadLetterTargetArn, eventInvokes } of functions) {
      const targets = (knownValue(eventInvokes) ?? []).map(it => it.onFailureArn);
      for (const target of [deadLetterTargetArn, ...targets]) {
        if (knownValue(target) !== undefined) this.deadLetters(this.function(arn), target);
      }
    }
    return this;
  }

  private subscription(subscription: SubscriptionFacts): void {
    const { arn, protocol, deadLetterTargetArn, isPending = false } = subscription;
    const [topic, endpoint] = [knownValue(subscription.topicArn), knownValue(subscription.endpoint)];
    if (topic === undefined) return;
    this.node('topic', topic, lastPart(topic));
    const delivery = this.node('delivery', arn, ownMember(PROTOCOLS, protocol) ?? protocol);
    if (isPending) delivery.marks.push({ says: 'not confirmed', severity: 'loses' });
    else this.markUnkept(delivery, deadLetterTargetArn);
    this.edge(topic, arn, 'delivers');
    if (endpoint !== undefined) this.edge(arn, this.receiver(protocol, endpoint), 'delivers');
    this.deadLetters(arn, deadLetterTargetArn);
  }

  private target({ arn, kind, name, targetArn, deadLetterTargetArn, isEnabled }: TargetFacts): void {
    const target = knownValue(targetArn);
    this.node(kind, arn, name);
    if (target === undefined) return;
    const service = parseArn(target)?.service ?? '';
    const delivery = this.node('delivery', `${arn} ${target}`, ownMember(SERVICES, service) ?? service);
    if (isEnabled === false) delivery.marks.push({ says: 'disabled', severity: 'note' });
    else this.markUnkept(delivery, deadLetterTargetArn);
    this.edge(arn, delivery.id, 'delivers');
    this.edge(delivery.id, this.receiver(service, target), 'delivers');
    this.deadLetters(delivery.id, deadLetterTargetArn);
  }

  private markUnkept(delivery: Draft, target: MaybeKnown<string | undefined>): void {
    if (!isKnown(target)) delivery.marks.push({ says: 'dead-letter queue unknown', severity: 'note' });
    else if (target === undefined) delivery.marks.push({ says: 'no dead-letter queue', severity: 'at-risk' });
  }

  private receiver(protocol: string, endpoint: string): string {
    const service = parseArn(endpoint)?.service;
    if (service === 'sqs') return this.queue(endpoint);
    if (service === 'lambda') return this.function(endpoint);
    if (service === 'sns') return this.node('topic', endpoint, lastPart(endpoint)).id;
    const name = service === undefined ? endpointName(endpoint) : lastPart(endpoint);
    return this.node('endpoint', `${protocol} ${endpoint}`, name).id;
  }

  private source(arn: string): string {
    return parseArn(arn)?.service === 'sqs' ? this.queue(arn) : this.node('stream', arn, lastPart(arn)).id;
  }

  private function(arn: string): string {
    const own = unqualified(arn);
    return this.node('function', own, functionOf(own, this.inventory)?.name ?? lastPart(own)).id;
  }

  private queue(arn: string): string {
    const facts = queueOf(arn, this.inventory);
    const isNew = !this.nodes.has(arn);
    const node = this.node(
      this.deadLetterArns.has(arn) ? 'dead-letter-queue' : 'queue',
      arn,
      facts?.name ?? lastPart(arn),
    );
    if (isNew && !facts) node.marks.push(this.isHere(arn) ? GONE : ELSEWHERE);
    return arn;
  }

  private isHere(arn: string): boolean {
    const { account, region } = parseArn(arn) ?? {};
    return account === knownValue(this.inventory.account) && region === knownValue(this.inventory.region);
  }

  private deadLetters(from: string, target: MaybeKnown<string | undefined> | undefined): void {
    const arn = target === undefined ? undefined : knownValue(target);
    if (arn !== undefined) this.edge(from, this.receiver('', arn), 'dead-letters');
  }

  private node(kind: NodeKind, id: string, name: string): Draft {
    const there = this.nodes.get(id) ?? { id, kind, name, marks: [] };
    this.nodes.set(id, there);
    return there;
  }

  private edge(from: string, to: string, kind: MapEdge['kind']): void {
    this.edges.set(`${from}\0${to}\0${kind}`, { from, to, kind });
  }
}

const GONE: MapMark = { says: 'does not exist', severity: 'loses' };
const ELSEWHERE: MapMark = { says: 'in another account or Region', severity: 'note' };

const PROTOCOLS: Readonly<Record<string, string>> = {
  sqs: 'SQS',
  lambda: 'Lambda',
  http: 'HTTP',
  https: 'HTTPS',
  email: 'email',
  'email-json': 'email (JSON)',
  sms: 'SMS',
  firehose: 'Firehose',
  application: 'push',
};

const SERVICES: Readonly<Record<string, string>> = { sqs: 'SQS', lambda: 'Lambda', sns: 'SNS', events: 'event bus' };

/** The host of a URL; another endpoint is named in full. */
function endpointName(endpoint: string): string {
  return URL.canParse(endpoint) && /^https?:/.test(endpoint) ? new URL(endpoint).host : endpoint;
}

/** The ids that each resource is connected with, over any number of edges. */
function groupsOf(ids: readonly string[], edges: readonly MapEdge[]): readonly (readonly string[])[] {
  const near = new Map<string, string[]>(ids.map(id => [id, []]));
  for (const { from, to } of edges) {
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const seen = new Set<string>();
  return ids.flatMap(id => {
    if (seen.has(id)) return [];
    const group: string[] = [];
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      group.push(next);
      open.push(...(near.get(next) ?? []));
    }
    return [group];
  });
}

/** The findings about each resource: by what it is about first, not by everything that it names. */
function findingsByArn(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const byArn = new Map<string, Finding[]>();
  for (const finding of findings) {
    const there = byArn.get(finding.resource.arn);
    if (there) there.push(finding);
    else byArn.set(finding.resource.arn, [finding]);
  }
  return byArn;
}

/** The worst severity of some findings; `null` if there are none. */
export function worstOf(findings: readonly Finding[]): Finding['severity'] | null {
  return findings.reduce<Finding['severity'] | null>(
    (worst, { severity }) => (worst !== null && isAtLeastAsSevere(worst, severity) ? worst : severity),
    null,
  );
}

/** The ids of checks whose finding is a mark of the resource on the map. */
const MARKS: Readonly<Record<string, string>> = {
  'dead-letters-unwatched': 'no alarm',
  'alarm-on-sent-never-fires': 'its alarm never fires',
};

/** Draws what messages pass through. A resource without any connection is left out, except a queue. */
export function mapDocument(inventory: Inventory, findings: readonly Finding[]): MapDocument {
  const { nodes, edges } = new MapBuilder(inventory).build();
  const found = findingsByArn(findings);
  const short = shortNames([...nodes.values()].map(({ name }) => name));
  const all = [...edges.values()];
  const groups = groupsOf([...nodes.keys()].sort(), all);
  const nodeOf = (id: string): MapNode[] => {
    const draft = nodes.get(id);
    if (!draft) return [];
    const { kind, name, marks } = draft;
    const own = found.get(id) ?? [];
    const said = own.flatMap(it =>
      MARKS[it.id] === undefined ? [] : [{ says: MARKS[it.id] ?? '', severity: it.severity }],
    );
    return [
      {
        id,
        kind,
        name,
        shortName: short.get(name) ?? name,
        column: COLUMNS[kind],
        marks: [...marks, ...said],
        worst: worstOf(own),
        findings: own.length,
      },
    ];
  };
  return {
    groups: groups.map((ids, at): MapGroup => {
      const own = new Set(ids);
      return {
        id: [...ids].sort()[0] ?? String(at),
        nodes: ids.flatMap(nodeOf),
        edges: all.filter(({ from }) => own.has(from)),
      };
    }),
  };
}
