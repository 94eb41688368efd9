import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { costText, dollarText } from '../../bin/cost/cost-text';
import { plainPaint } from '../../bin/shared/terminal-text';
import type { AppCost, CostLine, CostOptions } from '../../diagnosis/cost/app-cost';
import { DEFAULT_ASSUMPTIONS } from '../../diagnosis/cost/assumptions';
import { PRICES, PRICES_CHECKED_ON, pricePage } from '../../diagnosis/cost/price-list';
import {
  DurableTopic,
  FunctionFailures,
  OpsDashboard,
  OpsTopic,
  ProcessingQueue,
  Redrive,
  RedriveDestination,
  RelayFleet,
} from '../../lib';
import { formatNumber } from '../../policy/format-text';
import { STACK_BREAKER } from './breakers';
import { costOf, costOfAssembly, costOfStack } from './costs';
import { examples, stackOf } from './markdown-examples';
import { rentalAssembly } from './rental';

const ROOT = path.resolve(__dirname, '../..');

function exampleCost(page: string, options?: CostOptions): AppCost {
  return costOfStack(stackOf(examples(readFileSync(path.join(ROOT, page), 'utf8'))[0] ?? ''), options);
}

const ONCE = new Map<string, AppCost>();

/** Synthesizing takes a second, and several figures are about one app. */
function once(name: string, cost: () => AppCost): AppCost {
  const known = ONCE.get(name) ?? cost();
  ONCE.set(name, known);
  return known;
}

const readme = () => once('readme', () => exampleCost('README.md'));
const rental = () => once('rental', () => costOfAssembly(rentalAssembly(), { depth: 2 }));
const redrive = () => once('redrive', () => exampleCost('docs/redrive.md'));
const fleet = () => once('fleet', () => exampleCost('docs/fleet.md'));
const ofTheFleet = (it: string) => it.endsWith('/Fleet');
/** A fleet that gets its events from a program. */
function fleetAlone(batchSize: number, logAttempts: boolean): AppCost {
  const fill = (stack: Stack) => {
    new RelayFleet(stack, 'Fleet', { alarmActions: [new OpsTopic(stack, 'Ops')], logAttempts });
  };
  const assumptions = { ...DEFAULT_ASSUMPTIONS, batchSize };
  return once(`fleet ${batchSize} ${logAttempts}`, () => costOf(fill, { assumptions }));
}
const fleetMillion = (batchSize: number, logAttempts: boolean) => millionLines(fleetAlone(batchSize, logAttempts));
const relay = () => once('relay', () => costOf(relays(1), { depth: 2 }));

function relayOfTens(): AppCost {
  const assumptions = { ...DEFAULT_ASSUMPTIONS, batchSize: 10 };
  return once('relay of tens', () => costOf(relays(1), { depth: 2, assumptions }));
}

/** The lines of these constructs, those of one price and purpose together. */
function linesOf({ constructs }: AppCost, isIn: (path: string) => boolean = () => true): readonly CostLine[] {
  const lines = new Map<string, CostLine>();
  for (const line of constructs.filter(it => isIn(it.path)).flatMap(it => it.lines)) {
    const key = `${line.billedFor} ${line.price} ${line.purpose}`;
    const { units = 0, dollars = 0 } = lines.get(key) ?? {};
    lines.set(key, { ...line, units: units + line.units, dollars: dollars + line.dollars });
  }
  return [...lines.values()].sort((a, b) => b.dollars - a.dollars);
}

function lineText({ price, units, purpose }: CostLine): string {
  const { service, unit, dollars, per } = PRICES[price];
  const for1 = per === 1 ? '' : ` for ${formatNumber(per)}`;
  const rounded = units < 0.01 ? units.toPrecision(1) : formatNumber(units);
  return `${service}, ${unit}: ${rounded}${purpose === '' ? '' : ` (${purpose})`}, at ${dollars}${for1}`;
}

function total(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}

/** A table of the lines that are billed for one thing. */
function lineTable(heading: string, sum: string, lines: readonly CostLine[]): string {
  return [
    `| ${heading} | |`,
    '|---|---|',
    ...lines.map(it => `| ${lineText(it)} | ${dollarText(it.dollars)} |`),
    `| **${sum}** | **${dollarText(total(lines))}** |`,
    '',
  ].join('\n');
}

const idleLines = (cost: AppCost, isIn?: (path: string) => boolean) =>
  linesOf(cost, isIn).filter(it => it.billedFor === 'month');

const millionLines = (cost: AppCost, isIn?: (path: string) => boolean) =>
  linesOf(cost, isIn).filter(it => it.billedFor === 'million');

const ofTheRelay = (it: string) => it.endsWith('/Deliveries') || it.includes(`/${STACK_BREAKER}/`);

/** The price of a million deliveries by a relay, in batches of ten and of one. */
function relayMillionTable(): string {
  const heading = 'A million deliveries, a kilobyte each, answered in 100 ms';
  return batchTable(heading, millionLines(relayOfTens(), ofTheRelay), millionLines(relay(), ofTheRelay));
}

/** Lines in batches of ten and of one, with their sums, and in addition the sums of the same without something. */
function batchTable(
  heading: string,
  tens: readonly CostLine[],
  ones: readonly CostLine[],
  more: readonly string[] = [],
) {
  const dollarsOf = (lines: readonly CostLine[], { price, purpose }: CostLine) =>
    total(lines.filter(it => it.price === price && it.purpose === purpose));
  const rows = ones.map(it => {
    const { service, unit, dollars, per } = PRICES[it.price];
    const what = `${service}, ${unit}${it.purpose === '' ? '' : ` (${it.purpose})`}, at ${dollars}`;
    const [ten, one] = [dollarsOf(tens, it), it.dollars].map(dollarText);
    return `| ${what}${per === 1 ? '' : ` for ${formatNumber(per)}`} | ${ten} | ${one} |`;
  });
  const sums = [total(tens), total(ones)].map(it => `**${dollarText(it)}**`);
  return [
    `| ${heading} | batches of ten | batches of one |`,
    '|---|---|---|',
    ...rows,
    `| **A million deliveries** | ${sums.join(' | ')} |`,
    ...more,
    '',
  ].join('\n');
}

/** What a construct adds to a stack that has the others. */
interface Added {
  readonly what: string;
  readonly before?: (stack: Stack) => void;
  readonly with: (stack: Stack) => void;
}

const URL = 'https://partner.example.com/orders';
const code = Code.fromInline('exports.handler = async () => {};');
const functionOf = (stack: Stack) =>
  new LambdaFunction(stack, 'Billing', { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code });

function withTopic(more: (topic: DurableTopic, stack: Stack) => void) {
  return (stack: Stack): void => {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    more(new DurableTopic(stack, 'Topic', { alarmActions }), stack);
  };
}

function queueOf(stack: Stack): ProcessingQueue {
  return new ProcessingQueue(stack, 'Queue', { alarmActions: [new OpsTopic(stack, 'Ops')] });
}

const toQueue = withTopic((topic, stack) => topic.deliverToQueue('ToQueue', new ProcessingQueue(stack, 'Other')));
const relays = (count: number) =>
  withTopic(topic => {
    for (let n = 1; n <= count; n += 1) topic.relayToEndpoint(`To${n}`, `${URL}/${n}`);
  });

const ADDED: readonly Added[] = [
  { what: '`OpsTopic` with an e-mail address', with: stack => new OpsTopic(stack, 'Ops', { email: 'a@example.com' }) },
  {
    what: '`DurableTopic` without a delivery',
    before: stack => new OpsTopic(stack, 'Ops', { email: 'a@example.com' }),
    with: withTopic(() => {}),
  },
  {
    what: '`deliverToEndpoint`, the first',
    before: withTopic(() => {}),
    with: withTopic(it => it.deliverToEndpoint('To', URL)),
  },
  { what: '`deliverToQueue`, with a `ProcessingQueue`', before: withTopic(() => {}), with: toQueue },
  {
    what: '`relayToEndpoint`, the first of a stack, beside another delivery',
    before: withTopic(it => it.deliverToEndpoint('To', URL)),
    with: withTopic(it => {
      it.deliverToEndpoint('To', URL);
      it.relayToEndpoint('Relay', `${URL}/relayed`);
    }),
  },
  { what: '`relayToEndpoint`, each further one', before: relays(1), with: relays(2) },
  {
    what: '`RelayFleet`',
    before: stack => new OpsTopic(stack, 'Ops'),
    with: stack => new RelayFleet(stack, 'Fleet', { alarmActions: [new OpsTopic(stack, 'Ops')] }),
  },
  { what: '`ProcessingQueue`', before: stack => new OpsTopic(stack, 'Ops'), with: queueOf },
  {
    what: '`FunctionFailures`',
    before: functionOf,
    with: stack => new FunctionFailures(stack, 'Failures', { handler: functionOf(stack) }),
  },
  {
    what: '`Redrive` of a `ProcessingQueue`',
    before: queueOf,
    with: stack => {
      const queue = queueOf(stack);
      const destination = RedriveDestination.queue(queue);
      new Redrive(stack, 'Redrive', { deadLetterQueue: queue.deadLetters, destination, enabled: false });
    },
  },
  {
    what: '`OpsDashboard`',
    before: queueOf,
    with: stack => new OpsDashboard(stack, 'Dashboard').addQueue(queueOf(stack)),
  },
];

/** How many resources each further relay adds, and how many relays fit into a stack. */
function relaySizes(): { readonly each: number; readonly fit: number } {
  const [first, second] = [costOf(relays(1)), costOf(relays(2))].map(({ resources }) => resources);
  const each = (second ?? 0) - (first ?? 0);
  return { each, fit: 1 + Math.floor((500 - (first ?? 0)) / each) };
}

/** What each construct adds to a stack. */
function constructTable(): string {
  const rows = ADDED.map(({ what, before = () => {}, with: added }) => {
    const [less, more] = [costOf(before), costOf(added)];
    const alarmMetrics = ({ constructs }: AppCost) =>
      linesOf({ constructs } as AppCost)
        .filter(it => it.price === 'alarmMetric')
        .reduce((sum, { units }) => sum + units, 0);
    const counts = [
      more.resources - less.resources,
      more.alarms - less.alarms,
      alarmMetrics(more) - alarmMetrics(less),
    ];
    return `| ${what} | ${counts.join(' | ')} | ${dollarText(more.aMonthIdle - less.aMonthIdle)} |`;
  });
  return [
    '| Construct | resources | alarms | their metrics | idle a month |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function priceTable(): string {
  const rows = Object.values(PRICES).map(({ service, unit, dollars, per }) => {
    const units = per === 1 ? '' : ` for ${formatNumber(per)}`;
    return `| [${service}](${pricePage(service)}) | ${unit} | ${dollars.toFixed(10).replace(/0{0,8}$/, '')}${units} |`;
  });
  return [`| Service | Unit | US dollars, us-east-1, ${PRICES_CHECKED_ON} |`, '|---|---|---|', ...rows, ''].join('\n');
}

function readmeConsole(): string {
  const page = { what: 'cdk.out, 1 stack', paint: plainPaint, width: 100, hasLines: false };
  return `\`\`\`console\n$ npx dlo cost\n${costText(readme(), page)}\`\`\`\n`;
}

/** What the plugin reports of the example in the guide to costs. */
function synthText(): string {
  const { node } = stackOf(examples(readFileSync(path.join(ROOT, 'docs/cost.md'), 'utf8'))[0] ?? '');
  if (!App.isApp(node.root)) throw new Error('the example has no app');
  const said = jest.spyOn(console, 'error').mockImplementation(() => {});
  const { directory } = node.root.synth();
  said.mockRestore();
  const report = readFileSync(path.join(directory, 'validation-report.json'), 'utf8');
  const { description } = /"description": "(?<description>Orders costs [^"]*)"/.exec(report)?.groups ?? {};
  return `> ${description ?? ''}\n`;
}

const countText = ({ resources, alarms }: AppCost) => `${resources} resources, ${alarms} of them alarms`;

/** The computed parts of the guides, by name. */
export const COST_FIGURES: Readonly<Record<string, () => string>> = {
  'readme-size': () => countText(readme()),
  'readme-idle': () => dollarText(readme().aMonthIdle),
  'readme-million': () => dollarText(readme().aMillionMessages),
  'readme-console': readmeConsole,
  'synth-report': synthText,
  'rental-alarms': () => String(rental().alarms),
  'rental-idle': () => dollarText(rental().aMonthIdle),
  'rental-million': () => dollarText(rental().aMillionMessages),
  'rental-idle-table': () => lineTable('A month, doing nothing', 'Idle', idleLines(rental())),
  'rental-million-table': () =>
    lineTable(
      'A million more orders, all of them confirmed, a kilobyte each',
      'A million orders',
      millionLines(rental()),
    ),
  'relay-idle-table': () => lineTable('A month, delivering nothing', 'Without secrets', idleLines(relay(), ofTheRelay)),
  'relay-million-table': relayMillionTable,
  'relay-each': () => String(relaySizes().each),
  'relay-fit': () => String(relaySizes().fit),
  'redrive-idle': () => dollarText(total(idleLines(redrive(), it => it.endsWith('Redrive')))),
  'redrive-idle-table': () =>
    lineTable(
      'A month of 30 days',
      'A redrive that has nothing to do',
      idleLines(redrive(), it => it.endsWith('Redrive')),
    ),
  'fleet-size': () => `${fleet().constructs.find(it => ofTheFleet(it.path))?.resources} resources`,
  'fleet-idle': () => dollarText(total(idleLines(fleet(), ofTheFleet))),
  'fleet-million': () => dollarText(total(fleetMillion(10, true))),
  'fleet-million-unlogged': () => dollarText(total(fleetMillion(10, false))),
  'fleet-million-table': () => {
    const unlogged = [10, 1].map(batch => `**${dollarText(total(fleetMillion(batch, false)))}**`);
    const heading = 'A million messages to endpoints, a kilobyte each, answered in 200 ms';
    return batchTable(heading, fleetMillion(10, true), fleetMillion(1, true), [
      `| **The same without the log of attempts** | ${unlogged.join(' | ')} |`,
    ]);
  },
  'fleet-idle-table': () =>
    lineTable('A month of 30 days', 'A fleet in which nothing happens', idleLines(fleet(), ofTheFleet)),
  'construct-table': constructTable,
  'price-table': priceTable,
};
