import type { MessageData, MetricDataResult } from '@aws-sdk/client-cloudwatch';
import { invalidNextToken } from '../errors';

/** Everything there is of one result. */
export interface WholeResult {
  readonly id: string;
  readonly label: string;
  readonly messages: readonly MessageData[];
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
}

interface ResultsPage {
  readonly page: MetricDataResult[];
  readonly nextToken: string | undefined;
}

/**
 * The part of the results that a token asks for. Results follow each other; the one that a page breaks off in says
 * `PartialData`.
 *
 * @param token how many data points the pages before held
 * @throws AwsError `InvalidNextToken`
 */
export function pageOfResults(results: readonly WholeResult[], size: number, token: string | undefined): ResultsPage {
  if (token !== undefined && !/^\d+$/.test(token)) throw invalidNextToken(token);
  const from = Number(token ?? 0);
  const to = from + size;
  const total = results.reduce((sum, { points }) => sum + points.length, 0);
  let before = 0;
  const page = results.flatMap((result): MetricDataResult[] => {
    const { points } = result;
    const [first, last] = [before, before + points.length];
    before = last;
    const isEmptyHere = points.length === 0 && first >= from && (first < to || total === to);
    const isHere = first < to && last > from;
    if (!isHere && !isEmptyHere) return [];
    const part = points.slice(Math.max(0, from - first), Math.max(0, to - first));
    return [resultOf(result, part, last > to)];
  });
  return { page, nextToken: to < total ? String(to) : undefined };
}

function resultOf(
  { id, label, messages }: WholeResult,
  part: WholeResult['points'],
  isPartial: boolean,
): MetricDataResult {
  return {
    Id: id,
    Label: label,
    Timestamps: part.map(({ atMs }) => new Date(atMs)),
    Values: part.map(({ value }) => value),
    StatusCode: isPartial ? 'PartialData' : 'Complete',
    ...(messages.length > 0 ? { Messages: [...messages] } : {}),
  };
}
