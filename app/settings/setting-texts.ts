import type { Settings } from './settings';

/** Meaning of each environment variable, for `serve --help`. docs/configuration.md says more. */
export const settingTexts: Readonly<Record<keyof Settings | 'API_KEYS_FILE' | 'DATABASE_URL_FILE', string>> =
  {
    PORT: 'port of the API; 0 lets the system choose',
    HOST: 'address of the API',
    ADMIN_PORT: 'port of /metrics, /livez and /readyz, which need no key',
    ADMIN_HOST: 'address of the admin port',
    DATABASE_URL: 'sqlite:FILE, postgres://... or memory:',
    API_KEYS: 'comma-separated keys, instead of those in the database',
    CORS_ORIGIN: 'comma-separated origins whose pages may call the API, or *',
    LOG_LEVEL: 'trace, debug, info, warn, error, fatal or silent',
    NODE_ENV: 'production creates neither tables nor a key',
    MAX_CONNECTIONS: 'maximum number of client connections',
    TRUST_PROXY: 'trusted proxies, which set X-Forwarded headers',
    KEEP_ALIVE_SECONDS: 'seconds after which an idle connection is closed',
    STOP_DELAY: 'milliseconds in which a stopping service accepts',
    RATE_LIMIT: 'maximum requests of each owner of keys, such as 100/60s',
    IDEMPOTENCY_HOURS: 'hours in which a create can be retried, at most 168',
    POSTGRES_POOL_SIZE: 'connections to PostgreSQL',
    API_KEYS_FILE: 'file that holds the value of API_KEYS',
    DATABASE_URL_FILE: 'file that holds the value of DATABASE_URL',
  };
