export * from './alarm-row';
export * from './alarms';
export * from './runbook-section';
