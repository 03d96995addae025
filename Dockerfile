# syntax=docker/dockerfile:1
# Two images of one file:
#   docker build -t taproot .                       with Chromium, Playwright's driver, adb, ffmpeg and tesseract
#   docker build -t taproot-slim --target slim .    without: for validate, report, and phones of a remote adb server
# docs/ci/docker.md describes how to use them. A release uses the program that it has built (--build-arg
# PROGRAM=prebuilt).
ARG PROGRAM=source

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS source
ARG TARGETOS TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w' -o /taproot .

FROM scratch AS prebuilt
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/taproot /taproot

FROM ${PROGRAM} AS program

FROM gcr.io/distroless/static-debian12:latest AS slim
COPY --from=program /taproot /usr/local/bin/taproot
WORKDIR /work
EXPOSE 3210
ENTRYPOINT ["/usr/local/bin/taproot"]

FROM node:22-bookworm-slim AS full
RUN apt-get update \
	&& apt-get install -y --no-install-recommends adb ca-certificates chromium ffmpeg fonts-noto-color-emoji \
	fonts-noto-core git tesseract-ocr tini \
	&& rm -rf /var/lib/apt/lists/*
COPY --from=program /taproot /usr/local/bin/taproot
# A folder for all users, since CI systems set HOME to a folder of their own.
ENV PLAYWRIGHT_DRIVER_PATH=/opt/playwright-driver
RUN XDG_CACHE_HOME=/tmp/cache PLAYWRIGHT_DRIVER_PATH= taproot setup --platform web,android \
	&& mv /tmp/cache/taproot/playwright-driver/* "$PLAYWRIGHT_DRIVER_PATH" && rm -r /tmp/cache \
	&& taproot doctor --platform web,android
# CI systems require root for the folders that they mount. Chromium then runs without its own sandbox, in that of the
# container.
WORKDIR /var/lib/taproot
RUN mkdir reports suites
ENV TAPROOT_FILES=/var/lib/taproot/suites
EXPOSE 3210
# tini forwards SIGTERM, and reaps the processes that browsers leave.
ENTRYPOINT ["tini", "--", "taproot"]
