import { Color } from 'aws-cdk-lib/aws-cloudwatch';
import type { HttpRelay } from '../../relay/http-relay';
import { RunbookSection } from '../../shared/alarms/runbook-section';
import type { DashboardSection } from '../i-watched';
import { band, type Graph } from './band';
import { sum } from './shown-metrics';

const BREAKER_LABEL = 'breaker: 0 closed, 1 half open, 2 open, 3 stopped by hand (right)';

function graphsOf(relay: HttpRelay, name: string): Graph[] {
  return [
    {
      title: `${name}: what becomes of messages`,
      left: [
        relay.metricDelivered(sum('delivered', Color.GREEN)),
        relay.metricRetried(sum('to be tried again', Color.ORANGE)),
        relay.metricDead(sum('dead', Color.RED)),
      ],
    },
    {
      title: `${name}: attempts${relay.breaker ? ', and the breaker' : ''}`,
      left: [
        relay.metricAttempts(sum('attempts')),
        relay.metricFailedAttempts(sum('failed', Color.ORANGE)),
        relay.metricHandedBack(sum('put back untried', Color.GREY)),
        relay.metricUntried(sum('nothing to send', Color.BROWN)),
        relay.metricDeadLetteringFailed(sum('not taken by the dead-letter queue', Color.PINK)),
        relay.metricBroken(sum('the relay itself failed', Color.RED)),
      ],
      ...(relay.breaker && { right: [relay.metricBreakerState({ label: BREAKER_LABEL, color: Color.PURPLE })] }),
    },
    {
      title: `${name}: latency and lateness, ms`,
      left: [relay.metricLatency({ label: 'latency' })],
      right: [relay.metricLateness({ label: 'late by (right)' })],
    },
  ];
}

/** What a dashboard shows of a relay, beside its queue. */
export function relaySection(relay: HttpRelay): DashboardSection {
  const name = relay.node.path;
  return {
    title: 'Relays',
    rows: [band(name, relay.alarms, graphsOf(relay, name))],
    runbookSections: [
      RunbookSection.RELAY_ENDPOINT_FAILING,
      RunbookSection.RELAY_BEHIND_SCHEDULE,
      RunbookSection.RELAY_NOT_RECEIVING,
      RunbookSection.RELAY_NOT_TRYING,
      RunbookSection.RELAY_NOT_DEAD_LETTERING,
      RunbookSection.RELAY_FUNCTION_FAILING,
      RunbookSection.RELAY_FUNCTION_THROTTLED,
      ...(relay.breaker ? [RunbookSection.RELAY_STOPPED, RunbookSection.RELAY_BREAKER_FAILING] : []),
      RunbookSection.FUNCTION_LOOP_STOPPED,
    ],
  };
}
