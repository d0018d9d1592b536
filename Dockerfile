# Serves the page, as a user without rights, from a file system that nobody writes to:
#
#     docker build -t tellapart .
#     docker run --rm --read-only --tmpfs /tmp --cap-drop ALL -p 127.0.0.1:8000:8000 tellapart
#
# The same image runs every command: docker run --rm -i tellapart compare - < ratings.csv
FROM python:3.11-slim
COPY pyproject.toml constraints.txt README.md LICENSE /source/
COPY src /source/src
RUN pip install --no-cache-dir -c /source/constraints.txt '/source[web]' \
    && rm -r /source \
    && useradd --uid 10001 --no-create-home tellapart
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1
USER tellapart
WORKDIR /tmp
EXPOSE 8000
ENTRYPOINT ["tellapart"]
CMD ["serve", "--host", "0.0.0.0"]
