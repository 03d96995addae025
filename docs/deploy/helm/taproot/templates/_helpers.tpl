{{- define "taproot.name" -}}
{{- printf "%s-taproot" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "taproot.labels" -}}
app.kubernetes.io/name: taproot
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "taproot.hub" -}}
app.kubernetes.io/name: taproot
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: hub
{{- end -}}

{{/* What several hubs need to be one. */}}
{{- define "taproot.check" -}}
{{- if gt (int .Values.hub.replicas) 1 -}}
{{- if not (and .Values.secret .Values.database.external .Values.nats.url .Values.bucket.url) -}}
{{- fail "several hubs share a PostgreSQL, a NATS and a bucket: set secret, database.external, nats.url and bucket.url, or hub.replicas: 1" -}}
{{- end -}}
{{- end -}}
{{- if and (or .Values.database.external .Values.nats.url) (not .Values.secret) -}}
{{- fail "database.external and nats.url need a Secret (secret:) with database-url, service-secret and nats-account" -}}
{{- end -}}
{{- end -}}
