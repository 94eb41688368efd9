import type { ComponentType } from 'preact';
import { Doctor } from './doctor/doctor';
import { FleetEndpoint } from './fleets/fleets';
import { JourneyView } from './journey/journey';
import { DeadLetterList } from './overview/dead-letter-list';
import { MessageMap } from './overview/map';
import { QueueView } from './queue/queue-view';
import { Redrives } from './redrive/redrives';
import { Relays } from './relays/relays';
import { Reading } from './shared/copy';
import { useFeed } from './shared/server-connection';
import { SimulationView } from './simulation/simulation';

/** The first page: what is in trouble, and where it is. */
function Overview() {
  const map = useFeed('map');
  const levels = useFeed('levels');
  const list = useFeed('dead-letters');
  const { otherAlarms = [] } = levels.document ?? {};
  return (
    <>
      {list.document ? <DeadLetterList list={list.document} /> : <Reading state={list} what="the dead-letter queues" />}
      {otherAlarms.length > 0 && <p class="other-alarms">Also in ALARM: {otherAlarms.join(', ')}</p>}
      <section class="card">
        <h2>What messages pass through</h2>
        {map.document ? (
          <MessageMap map={map.document} levels={levels.document} />
        ) : (
          <Reading state={map} what="topics, queues and functions" />
        )}
      </section>
    </>
  );
}

export interface View {
  /** The first part of the route: `queue` for `#/queue/orders-dlq`. Empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** Whether it is in the navigation, and for which AWS. @default - it is not */
  readonly nav?: 'always' | 'simulation';
  /** Whether the component has the main heading. @default - the title is it, for screen readers */
  readonly hasHeading?: true;
  /** @param of the other parts of the route */
  readonly component: ComponentType<{ readonly of: readonly string[] }>;
}

export const VIEWS: readonly View[] = [
  { path: '', title: 'Overview', nav: 'always', component: Overview },
  { path: 'redrive', title: 'Redrive', nav: 'always', component: Redrives },
  { path: 'relays', title: 'Relays', nav: 'always', component: Relays },
  { path: 'fleets', title: 'Endpoint of a fleet', hasHeading: true, component: FleetEndpoint },
  { path: 'doctor', title: 'Doctor', nav: 'always', component: Doctor },
  { path: 'simulation', title: 'Simulation', nav: 'simulation', component: SimulationView },
  { path: 'journey', title: 'Journeys', nav: 'simulation', hasHeading: true, component: JourneyView },
  { path: 'queue', title: 'Queue', hasHeading: true, component: QueueView },
];
