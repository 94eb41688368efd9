import type { ComponentType } from 'preact';
import { Doctor } from './doctor/doctor';
import { FleetEndpoint } from './fleets/fleets';
import { JourneyView } from './journey/journey';
import { Overview } from './overview/overview';
import { QueueView } from './queue/queue-view';
import { Redrives } from './redrive/redrives';
import { Relays } from './relays/relays';
import { SimulationView } from './simulation/simulation';

/** A page of the console. */
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

/** Every view, in the order of the navigation. */
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
