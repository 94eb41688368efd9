import { type AppCost, type ConstructCost, type CostLine, isWhole } from '../../diagnosis/cost/app-cost';
import { assumptionTexts, NOT_COUNTED } from '../../diagnosis/cost/assumptions';
import { FREE_TIERS, PRICE_REGION, PRICES, PRICES_CHECKED_ON, pricePage } from '../../diagnosis/cost/price-list';
import { unpricedText } from '../../diagnosis/cost/unpriced';
import { counted, formatNumber } from '../../policy/format-text';
import { foreignText, type Paint, table, wrap } from '../shared/terminal-text';

/** Longer paths and texts come only from hostile templates. */
const LONGEST = 300;

/** Dollars with cents. An amount below half a cent is not nothing. */
export function dollarText(dollars: number): string {
  if (dollars > 0 && dollars < 0.005) return '<0.01';
  return dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

type Figures = Pick<
  ConstructCost,
  'path' | 'resources' | 'alarms' | 'aMonthIdle' | 'aMillionMessages' | 'metricsAtMost'
>;

function constructTable({ constructs, ...all }: AppCost): readonly string[] {
  const figures: readonly Figures[] = [...constructs, { path: isWhole(all) ? 'all' : 'all that is priced', ...all }];
  const column = (heading: string, cell: (it: Figures) => string) => ({ heading, align: 'right' as const, cell });
  return table(
    [
      { heading: 'CONSTRUCT', align: 'left', cell: ({ path }) => foreignText(path, LONGEST) },
      column('resources', ({ resources }) => formatNumber(resources)),
      column('alarms', ({ alarms }) => formatNumber(alarms)),
      column('idle', ({ aMonthIdle }) => dollarText(aMonthIdle)),
      column('million', ({ aMillionMessages }) => dollarText(aMillionMessages)),
      column('metrics', ({ metricsAtMost }) => dollarText(metricsAtMost)),
    ],
    figures,
  );
}

const BILLED_FOR = { month: 'idle', million: 'million', metrics: 'metrics' } as const;

/** A number of units. Some are a small part of one. */
function unitsText(units: number): string {
  return units > 0 && units < 0.01 ? units.toPrecision(1) : formatNumber(units);
}

/** `million  0.40  SQS, requests: 1,000,000 (sends)`. */
function lineText({ billedFor, price, units, purpose, dollars }: CostLine): string {
  const { service, unit } = PRICES[price];
  const what = `${service}, ${unit}: ${unitsText(units)}${purpose === '' ? '' : ` (${purpose})`}`;
  return `    ${BILLED_FOR[billedFor].padEnd(8)}${dollarText(dollars).padStart(7)}  ${what}`;
}

function lineTexts({ constructs }: AppCost, paint: Paint): string[] {
  return constructs
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ path, lines }) => ['', `  ${paint.bold(foreignText(path, LONGEST))}`, ...lines.map(lineText)]);
}

function entryTexts({ entries }: AppCost): string[] {
  if (entries.length === 0) return ['No place was found where messages enter the app.'];
  const rows = entries.map(
    ({ path, kind, dollars }) => `  ${dollarText(dollars).padStart(7)}  ${kind} ${foreignText(path, LONGEST)}`,
  );
  return ['A million messages enter at each of:', ...rows];
}

function namesOf(unpriced: AppCost['unpriced']): string {
  return foreignText(unpriced.map(unpricedText).join(', '), LONGEST * 2);
}

/** What is billed by the hour and has no price here: it costs more than the rest of most apps, so it comes first. */
function dominatingTexts({ unpriced }: AppCost, width: number): string[] {
  const standing = unpriced.filter(({ billed }) => billed === 'by the hour');
  if (standing.length === 0) return [];
  return [...wrap(`NOT PRICED, although AWS bills it for each hour that it exists: ${namesOf(standing)}.`, width), ''];
}

/** The totals in a sentence that says what they lack. Nothing if they lack nothing. */
function partialTexts(cost: AppCost, width: number): string[] {
  if (isWhole(cost)) return [];
  const { aMonthIdle, aMillionMessages, unpriced, unknown } = cost;
  const missing = [
    ...(unpriced.length > 0 ? [namesOf(unpriced)] : []),
    ...(unknown.length > 0 ? [counted(unknown.length, 'cost that is not known', 'costs that are not known')] : []),
  ].join(' and ');
  const text = `At least ${dollarText(aMonthIdle)} US dollars a month idle, and ${dollarText(aMillionMessages)} for a million messages, without ${missing}.`;
  return ['', ...wrap(text, width)];
}

function billingText({ type, name, billed }: AppCost['unpriced'][number]): string {
  return billed === 'unknown'
    ? `${type}: it is not known whether it costs something`
    : `${name}, ${type}: billed ${billed}`;
}

const indent = (text: string) => `  ${text}`;

function listed(heading: string, texts: readonly string[], width: number): string[] {
  if (texts.length === 0) return [];
  return ['', heading, ...texts.flatMap(it => wrap(`* ${foreignText(it, LONGEST * 2)}`, width - 2)).map(indent)];
}

const MEANINGS = [
  'idle     a month without messages',
  'million  a million messages at each place where they enter the app',
  'metrics  at most, a month: custom metrics that have a price only in hours in which they have data',
];

/** How the output is written. */
interface CostPage {
  readonly what: string;
  readonly paint: Paint;
  /** The width of prose, in columns. */
  readonly width: number;
  /** Whether each construct's lines are printed. */
  readonly hasLines: boolean;
}

/** What an app costs: a table of its constructs, where messages enter, and what the figures depend on. */
export function costText(cost: AppCost, { what, paint, width, hasLines }: CostPage): string {
  const lines = [
    `${what}: list prices of ${PRICE_REGION} in US dollars, looked up on ${PRICES_CHECKED_ON}.`,
    ...dominatingTexts(cost, width),
    ...MEANINGS,
    '',
    ...constructTable(cost),
    ...partialTexts(cost, width),
    ...(hasLines ? lineTexts(cost, paint) : []),
    '',
    ...entryTexts(cost),
    ...listed('Not priced, so not in the figures:', cost.unpriced.map(billingText), width),
    ...listed('Not known, so not in the figures:', cost.unknown, width),
    ...listed('Assumed:', [...assumptionTexts(cost.assumptions), ...cost.assumes], width),
    ...listed('Never counted:', NOT_COUNTED, width),
    ...listed('Free in each account every month, and not subtracted:', FREE_TIERS, width),
  ];
  return `${lines.join('\n')}\n`;
}

export function costDocument({ assumes, ...cost }: AppCost, what: string) {
  const prices = Object.entries(PRICES).map(([name, price]) => ({ name, ...price, url: pricePage(price.service) }));
  return {
    examined: what,
    currency: 'USD',
    priceRegion: PRICE_REGION,
    pricesCheckedOn: PRICES_CHECKED_ON,
    isWhole: isWhole(cost),
    ...cost,
    assumed: [...assumptionTexts(cost.assumptions), ...assumes],
    notCounted: NOT_COUNTED,
    freeTiers: FREE_TIERS,
    prices,
  };
}
